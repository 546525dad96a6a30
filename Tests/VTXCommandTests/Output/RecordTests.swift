import Testing
import VTXMedia
import VTXTask

@testable import VTXCommand

@Suite("JSON records")
struct RecordTests {
    @Test("a progress record has its fields, with units in the times' names")
    func progress() {
        let record = TranscodeEvent.progress(
            Progress(
                phase: .transcoding, frames: 50, totalFrames: 100, seconds: 2, totalSeconds: 4,
                elapsedSeconds: 1,
                bytes: 1000))
        #expect(
            record.line == """
                {"bytes":1000,"elapsedSeconds":1,"etaSeconds":1,"fps":50,"frame":50,\
                "outTimeMicroseconds":2000000,"percent":50,"phase":"transcoding","speed":2,\
                "totalFrames":100,"totalSeconds":4,"type":"progress"}

                """)
    }

    @Test("unknown fields are omitted, and NaN keeps the line valid")
    func sparseProgress() {
        let record = TranscodeEvent.progress(
            Progress(
                phase: .verifying, frames: 0, totalFrames: nil, seconds: .nan, totalSeconds: nil,
                elapsedSeconds: .infinity, bytes: 0))
        #expect(!record.line.contains("percent") && !record.line.contains("totalFrames"))
        #expect(record.line.hasSuffix("\"type\":\"progress\"}\n"))
    }

    @Test("a result record has the figures, the status and the exit code")
    func result() {
        let notice = Notice(.downgradeBitDepth, "10 bits become 8")
        let result = TranscodeResult(
            outcome: .incompleteSource, output: "a/b.mp4", frames: 3, seconds: 0.1, bytes: 5,
            elapsedSeconds: 2,
            notices: [notice])
        #expect(
            ResultRecord(result, notices: [notice]).line == """
                {"bytes":5,"elapsedSeconds":2,"exitCode":11,"frames":3,"notices":[{"code":"downgrade.bitDepth",\
                "kind":"downgrade","message":"10 bits become 8","type":"notice"}],"output":"a/b.mp4",\
                "seconds":0.1,"status":"incompleteSource","type":"result"}

                """)
    }

    @Test(
        "an error record distinguishes failed from cancelled",
        arguments: [
            (ErrorKind.inputNotFound, ResultRecord.Status.failed), (.interrupted, .cancelled),
            (.terminated, .cancelled),
        ])
    func failure(kind: ErrorKind, status: ResultRecord.Status) {
        let record = ResultRecord(TranscodeError(kind, "no \"such\"\nfile"))
        #expect(record.status == status)
        #expect(record.line.contains("\"exitCode\":\(ExitCode(kind.category).rawValue)"))
        #expect(record.line.split(separator: "\n").count == 1)
    }
}
