import Testing
import VTXMedia
import VTXTask
import VTXTranscode

@testable import VTXCommand

@Suite("A worker's records")
struct WorkerRecordTests {
    @Test(
        "what is written is what is read",
        arguments: [
            WorkerRecord.planned(usesHardware: true, codec: .hevc), .planned(usesHardware: false, codec: .h264),
            .planned(usesHardware: true, codec: nil),
            .writing(output: "a b.mp4"), .writing(output: "100%0A\n%.mp4"), .writing(output: " größer\n"),
            .progress(WorkerProgress(phase: .transcoding, frames: 1, bytes: 1 << 40, milliseconds: -20)),
            .progress(WorkerProgress(phase: .verifying, frames: 0, bytes: 0, milliseconds: 0)),
            .using(device: "/dev/dri/renderD128"), .using(device: "a\nb"), .ended(.incompleteSource),
        ])
    func roundTrip(record: WorkerRecord) {
        #expect(!record.line.contains("\n"))
        #expect(WorkerRecord(line: record.line) == record)
    }

    @Test(
        "what is no record is nothing",
        arguments: [
            "", "ended", "ended x", "ended 77", "planned", "planned gpu", "planned cuda hevc", "planned gpu vp9",
            "planned gpu hevc x", "writing ", "using", "using ", "progress",
            "progress transcoding 1 2", "progress transcoding 1 2 3 4", "progress sleeping 1 2 3",
            "i965: GPU hang", "PROGRESS transcoding 1 2 3",
        ])
    func noise(line: String) {
        #expect(WorkerRecord(line: line) == nil)
    }

    @Test("a clock gone wild is still a record", arguments: [Double.infinity, .nan, 1e300])
    func wildClock(seconds: Double) {
        let progress = Progress(
            phase: .transcoding, frames: 3, totalFrames: nil, seconds: seconds, totalSeconds: nil,
            elapsedSeconds: 1, bytes: 9)
        #expect(WorkerProgress(progress).frames == 3)
    }

    @Test("lines come out whole, however the bytes come in")
    func splitting() {
        var lines = LineSplitter()
        #expect(lines.add(Array("one\ntw".utf8)) == ["one"])
        #expect(lines.add(Array("o".utf8)) == [])
        #expect(lines.add(Array("\n\nthree\n".utf8)) == ["two", "three"])
    }

    @Test("a line without end takes no memory without end")
    func endlessLine() {
        var lines = LineSplitter()
        for _ in 0..<10 { _ = lines.add([UInt8](repeating: 65, count: LineSplitter.longestLine)) }
        #expect(lines.add(Array("\nended 0\n".utf8)).last == "ended 0")
    }
}
