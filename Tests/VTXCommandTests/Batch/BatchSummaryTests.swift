import Testing
import VTXSystem

@testable import VTXCommand

@Suite("The summary of several inputs")
final class BatchSummaryTests {
    private let directory: String

    init() throws { directory = try Directory.makeTemporary("vtx-summary") }

    deinit { Directory.removeTree(directory) }

    private func item(_ name: String, source: Int, output: Int?) throws -> BatchPlan.Item {
        let input = "\(directory)/\(name).in"
        try AtomicFile.write(String(repeating: "s", count: source), to: input, replaces: true)
        let item = BatchPlan.Item(input: input, output: "\(directory)/\(name).out")
        if let output { try AtomicFile.write(String(repeating: "o", count: output), to: item.output, replaces: true) }
        return item
    }

    @Test("counts done, existing and failed outputs, and saved bytes")
    func text() throws {
        var summary = BatchSummary()
        summary.add(try item("a", source: 4000, output: 1000), .success, before: nil)
        let old = try item("b", source: 9000, output: 5)
        summary.add(old, .success, before: FileStatus(old.output))
        summary.add(try item("c", source: 7000, output: nil), .input, before: nil)
        #expect(summary.text == "3 files: 1 done, 1 skipped, 1 failed; 4.0 kB became 1.0 kB, 75 % less")
        #expect(summary.exitCode == .input)
    }

    @Test("an output that replaces another is done, and growth is reported")
    func replaced() throws {
        let old = try item("a", source: 1000, output: 10)
        let before = FileStatus(old.output)
        _ = try item("a", source: 1000, output: 2000)
        var summary = BatchSummary()
        summary.add(old, .incompleteSource, before: before)
        #expect(summary.text == "1 file: 1 done; 1.0 kB became 2.0 kB, 100 % more")
        summary.add(try item("b", source: 10, output: nil), .output, before: nil)
        #expect(summary.exitCode == .output)
    }

    @Test("a replaced input counts with the size that it had, and a skipped one without an output is skipped")
    func inPlace() throws {
        let path = "\(directory)/a.mp4"
        try AtomicFile.write(String(repeating: "s", count: 4000), to: path, replaces: true)
        let item = BatchPlan.Item(input: path, output: path)
        let before = FileStatus(path)
        try AtomicFile.write(String(repeating: "o", count: 1000), to: path, replaces: true)
        var summary = BatchSummary()
        summary.add(item, .success, before: before)
        summary.add(try self.item("b", source: 10, output: nil), .success, before: nil)
        #expect(summary.text == "2 files: 1 done, 1 skipped; 4.0 kB became 1.0 kB, 75 % less")
        #expect(summary.exitCode == .success)
    }

    @Test("what a signal stopped is cancelled, not failed; the record has the command's exit code")
    func cancelled() throws {
        var summary = BatchSummary()
        summary.add(try item("a", source: 4000, output: 1000), .success, before: nil)
        summary.add(try item("b", source: 1, output: nil), .interrupted, before: nil)
        #expect(summary.text == "2 files: 1 done, 1 cancelled; 4.0 kB became 1.0 kB, 75 % less")
        let line = SummaryRecord(summary, elapsedSeconds: 1.23456, .interrupted).line
        #expect(
            line == """
                {"cancelled":1,"done":1,"elapsedSeconds":1.235,"exitCode":130,"failed":0,"files":2,"outputBytes":1000,\
                "savedBytes":3000,"skipped":0,"sourceBytes":4000,"type":"summary"}

                """)
    }

    @Test("a planned input is done without an output")
    func planned() throws {
        var summary = BatchSummary()
        summary.addPlanned(try item("a", source: 1, output: nil), .success)
        summary.addPlanned(try item("b", source: 1, output: nil), .input)
        #expect((summary.done, summary.failed, summary.exitCode) == (1, 1, .input) && summary.files == 2)
    }

    @Test("without a done output nothing is saved")
    func nothing() throws {
        var summary = BatchSummary()
        summary.add(try item("a", source: 1, output: nil), .output, before: nil)
        #expect(summary.text == "1 file: 1 failed")
    }
}
