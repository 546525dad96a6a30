import Testing
import VTXMedia

@testable import VTXTranscode

@Suite("The gain for a loudness")
struct GainSearchTests {
    private func search(_ target: Int, integrated: Double?, truePeak: Double) -> GainSearch {
        GainSearch(
            target: target, truePeakLimit: -3,
            measured: MeasuredLoudness(integrated: integrated, truePeak: truePeak))
    }

    @Test("is linear, and known at once, if the peaks allow it", arguments: [(-30.0, -20.0, 7.0), (-10, -1, -13)])
    func linear(integrated: Double, truePeak: Double, decibels: Double) {
        let search = search(-23, integrated: integrated, truePeak: truePeak)
        #expect(search.next == nil)
        #expect(search.gain.decibels == decibels && search.gain.limited == nil)
    }

    @Test("peaks that would be too high are limited, with more gain for what that costs")
    func limited() {
        var search = search(-14, integrated: -22, truePeak: -4)
        var trials = 0
        while let next = search.next, trials < 10 {
            // A limiter that takes a third of what exceeds it.
            let excess = max(0, next.decibels - 1)
            search.note(MeasuredLoudness(integrated: -22 + next.decibels - excess / 3, truePeak: -3))
            trials += 1
        }
        #expect(trials <= 4)
        #expect(abs((search.gain.limited?.integrated ?? 0) + 14) <= 0.2)
    }

    @Test("a loudness that no gain reaches ends the search, with what came closest")
    func unreachable() {
        var search = search(-8, integrated: -22, truePeak: -1)
        var trials = 0
        while search.next != nil, trials < 10 {
            search.note(MeasuredLoudness(integrated: -12 + Double(trials) / 10, truePeak: -3))
            trials += 1
        }
        #expect(trials <= 4)
        #expect(search.gain.limited?.integrated == -12 + Double(trials - 1) / 10)
    }

    @Test("silence gets none")
    func silence() {
        let search = search(-14, integrated: nil, truePeak: -66)
        #expect(search.next == nil && search.gain.decibels == 0 && search.gain.limited == nil)
    }
}
