import Testing
import VTXMedia
import VTXTask

@testable import VTXCommand
@testable import VTXTranscode

@Suite("What vtx nal, extract and wrap say")
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

    @Test("pipes are for listing alone")
    func pipes() throws {
        let settings = try #require(try ArgumentParser.parse(["-"], by: grammar(of: NALSettings.self)))
        #expect(settings.listing.input == "-")
        #expect(run("extract", "-") == 2 && run("wrap", "-", "out.mp4") == 2)
        #expect(test.messages.text.contains("not '-'"))
    }

    private func grammar(of _: NALSettings.Type) -> Grammar<NALSettings> {
        Grammar(positionals: [.required(.inputPath("FILE"), into: \.listing.input, "The file.")])
    }

    @Test("wrap wants a rate that is one, and one policy at a time")
    func usage() {
        #expect(run("wrap", "in.h264", "out.mp4", "--fps", "0") == 2)
        #expect(run("wrap", "in.h264", "out.mp4", "-y", "-n") == 2)
        #expect(run("wrap", "in.h264") == 2)
        #expect(run("wrap", "in.h264", "out.mp4", "--parameter-sets", "none") == 2)
        #expect(run("nal", "in.h264", "--codec", "vp9") == 2)
    }

    private var unit: NALUnitInfo {
        NALUnitInfo(
            number: 3, accessUnit: 1, place: .stream(offset: 40, startCodeSize: 4), size: 700, type: 5,
            name: "IDR slice", refIDC: 3, isKeyFrame: true)
    }

    @Test("a unit is a line")
    func text() {
        let reporter = NALReporter(test.console, printsJSON: false)
        #expect(reporter.report(.unit(unit)))
        reporter.finish(.success)
        _ = reporter.report(.unit(unit))
        #expect(test.output.text == "     1            40        700  IDR slice\n")
    }

    @Test("or a record, and the result comes last")
    func records() throws {
        let reporter = NALReporter(test.console, printsJSON: true)
        _ = reporter.report(.unit(unit))
        _ = reporter.report(.notice(Notice(.sourceDamaged, "words")))
        reporter.finish(.incompleteSource)
        #expect(
            test.output.lines == [
                "{\"accessUnit\":1,\"keyFrame\":true,\"nalRefIdc\":3,\"nalUnitType\":5,\"name\":\"IDR slice\",\"number\":3,"
                    + "\"offset\":40,\"size\":700,\"startCodeSize\":4,\"type\":\"nalUnit\"}",
                "{\"code\":\"source.damaged\",\"kind\":\"warning\",\"message\":\"words\",\"type\":\"notice\"}",
                "{\"exitCode\":11,\"notices\":[{\"code\":\"source.damaged\",\"kind\":\"warning\",\"message\":\"words\","
                    + "\"type\":\"notice\"}],\"status\":\"incompleteSource\",\"type\":\"result\"}",
            ])
    }

    @Test("where a container does not keep packets whole, the place is in the packet")
    func packetPlace() {
        var unit = unit
        unit.place = .packet(number: 7, offset: 12, fileOffset: nil, pts: MediaTime(1, Rational(1, 25)))
        #expect(NALText.line(unit).contains("  #7+12  "))
        #expect(NALUnitRecord(unit).line.contains("\"ptsSeconds\":0.04"))
        unit.place = .record
        #expect(NALText.line(unit).contains("  record  "))
    }
}
