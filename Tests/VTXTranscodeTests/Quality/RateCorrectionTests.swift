import Testing
import VTXMedia
import VTXTask

@testable import VTXTranscode

@Suite("The correction of a bit rate in two passes")
struct RateCorrectionTests {
    @Test("takes what is near", arguments: [989_000.0, 1_000_000, 1_011_000])
    func accepted(average: Double) {
        var correction = RateCorrection(wanted: 1_000_000, isLimited: false)
        #expect(correction.note(average) == nil)
    }

    @Test("follows the miss of each output, at most twice")
    func corrected() {
        var correction = RateCorrection(wanted: 1_000_000, isLimited: false)
        #expect(correction.note(800_000) == 1_250_000)
        #expect(correction.note(1_250_000) == 1_000_000, "a correction of any size is measured by what was asked for")
        #expect(correction.note(1_250_000) == nil)
        correction = RateCorrection(wanted: 1_000_000, isLimited: false)
        #expect(correction.note(1_100_000) == 909_090 && correction.note(960_000) == 946_969)
        #expect(correction.note(970_000) == nil)
    }

    @Test("leaves content that takes less, and needs more", arguments: [10_000.0, 749_000, 1_251_000, 5_000_000])
    func content(average: Double) {
        var correction = RateCorrection(wanted: 1_000_000, isLimited: false)
        #expect(correction.note(average) == nil)
    }

    @Test("does not raise a rate whose seconds are limited")
    func limited() {
        var correction = RateCorrection(wanted: 1_000_000, isLimited: true)
        #expect(correction.note(900_000) == nil)
        correction = RateCorrection(wanted: 1_000_000, isLimited: true)
        #expect(correction.note(1_100_000) == 909_090)
    }

    @Test("the decision names the rate that was asked for")
    func decision() {
        var (request, notes) = (TranscodeRequest(input: "in.mkv"), PlanNotes())
        (request.bitrate, request.wantedBitrate, request.usesTwoPasses) = (558_000, 600_000, true)
        #expect(RateChoice.choose(request, .h264, &notes) == .bitrate(average: 558_000, max: nil))
        #expect(notes.decisions == [Decision("rate", "558 kb/s", because: "600 kb/s requested, in two passes")])
    }
}
