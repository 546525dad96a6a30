import Testing
import VTXMedia
import VTXTestValues

@testable import VTXTask

@Suite("Plans and events as JSON")
struct EventCodingTests {
    @Test("every event is equal after a round trip", arguments: events)
    func roundTrip(event: TranscodeEvent) throws {
        let line = JSONLine.text(event)
        #expect(line.hasSuffix("}\n") && !line.dropLast().contains("\n"))
        #expect(try JSONLine.value(TranscodeEvent.self, from: line) == event)
    }

    @Test("a plan has the documented keys, and those that restore it")
    func planKeys() {
        let line = JSONLine.text(TranscodeEvent.planned(plan))
        for part in [
            "\"type\":\"plan\"", "\"deviceName\":\"a GPU\"", "\"usesHardware\":true", "\"expectedFrames\":75",
            "\"expectedSeconds\":3", "\"chapters\":1", "\"label\":\"audio stream 1 (pcm_s16le)\"",
            "\"action\":\"convert\"",
        ] { #expect(line.contains(part), "\(part) in \(line)") }
    }

    @Test("unknown keys are ignored; an unknown type is an error")
    func unknown() throws {
        let line = "{\"type\":\"notice\",\"kind\":\"warning\",\"code\":\"source.order\",\"message\":\"c\",\"new\":1}"
        #expect(try JSONLine.value(TranscodeEvent.self, from: line) == .notice(Notice(.sourceOrder, "c")))
        #expect(throws: DecodingError.self) { try JSONLine.value(TranscodeEvent.self, from: "{\"type\":\"other\"}") }
    }

    static let events: [TranscodeEvent] = [
        .planned(plan), .notice(notice),
        .progress(
            Progress(
                phase: .transcoding, frames: 3, totalFrames: nil, seconds: 0.12, totalSeconds: 4.5, elapsedSeconds: 1,
                bytes: 1 << 40)),
        .finished(
            TranscodeResult(
                outcome: .incompleteSource, output: "a\"b\n.mp4", frames: 3, seconds: 0.12, bytes: 5,
                elapsedSeconds: 1.5, notices: [notice])),
    ]
}

private let notice = Notice(.fallbackDecode, "software decodes: \u{1} why")

private let plan = TranscodePlan.example()
