import Testing
import VTXMedia
import VTXTask
import VTXWorker

@testable import VTXCommand

@Suite("The output of vtx nal, extract and mux")
struct NALReporterTests {
    private let test = TestConsole()

    private func run(_ arguments: String...) -> Int32 { Program.run(arguments, on: test.console).rawValue }

    @Test("an error has a message and, with --json, a last record", arguments: ["nal", "extract"])
    func missing(command: String) {
        #expect(run(command, "--json", "/no/such/file.mp4") == 3)
        #expect(test.messages.text.contains("'/no/such/file.mp4' cannot be read: No such file or directory"))
        #expect(test.output.lines.count == 1)
        #expect(test.output.text.contains("\"status\":\"failed\""))
        #expect(test.output.text.contains("\"type\":\"result\""))
    }

    @Test("only a listing can use pipes")
    func pipes() throws {
        let settings = try #require(try ArgumentParser.parse(["-"], by: grammar(of: NALSettings.self)))
        #expect(settings.listing.input == "-")
        #expect(run("extract", "-") == 2 && run("mux", "-", "out.mp4") == 2)
        #expect(test.messages.text.contains("not '-'"))
    }

    private func grammar(of _: NALSettings.Type) -> Grammar<NALSettings> {
        Grammar(positionals: [.required(.inputPath("FILE"), into: \.listing.input, "The file.")])
    }

    @Test("mux requires a valid rate, and one policy at a time")
    func usage() {
        #expect(run("mux", "in.h264", "out.mp4", "--fps", "0") == 2)
        #expect(run("mux", "in.h264", "out.mp4", "-y", "-n") == 2)
        #expect(run("mux", "in.h264") == 2)
        #expect(run("mux", "in.h264", "out.mp4", "--parameter-sets", "none") == 2)
        #expect(run("nal", "in.h264", "--codec", "vp9") == 2)
    }

    @Test("vtx wrap is vtx mux")
    func alias() {
        #expect(run("wrap", "--help") == 0 && run("help", "wrap") == 0)
        let pages = test.output.text.split(separator: "Usage: vtx mux ")
        #expect(pages.count == 2 && pages.first == pages.last)
    }

    private func list(_ arguments: String..., events: [WorkerEvent]) throws -> ExitCode {
        var settings = NALSettings()
        settings.printsJSON = arguments.contains("--json")
        let workers = Workers { order, _, listener throws(TranscodeError) in
            for event in events where !listener.report(event) { break }
            return .success(.done)
        }
        return NALRun(settings, test.console, workers).list()
    }

    @Test("a listing is the worker's")
    func text() throws {
        #expect(try list(events: [.output("one\ntwo\n"), .answer(.listed(.completed))]) == .success)
        #expect(test.output.text == "one\ntwo\n" && test.messages.text.isEmpty)
    }

    @Test("notices are in their order, and the result is last")
    func records() throws {
        let notice = WorkerEvent.transcode(.notice(Notice(.sourceDamaged, "words")))
        let events = [.output("{}\n"), notice, .answer(.listed(.incompleteSource))]
        #expect(try list("--json", events: events) == .incompleteSource)
        #expect(
            test.output.lines == [
                "{}",
                "{\"code\":\"source.damaged\",\"kind\":\"warning\",\"message\":\"words\",\"type\":\"notice\"}",
                "{\"exitCode\":11,\"notices\":[{\"code\":\"source.damaged\",\"kind\":\"warning\",\"message\":\"words\","
                    + "\"type\":\"notice\"}],\"status\":\"incompleteSource\",\"type\":\"result\"}",
            ])
        #expect(test.messages.lines == ["vtx: warning: words"])
    }
}
