import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask

@testable import VTXTranscode

@Suite("Trimming of subtitles")
struct SubtitleTrimmingTests {
    private static let milliseconds = Rational(1, 1000)

    @Test("a cue lasts to the end of the excerpt at most, and one without an end has no duration")
    func ends() throws {
        var range = OutputRange(offset: MediaTime(0, Self.milliseconds))
        let durations = try [nil, 5].map { end in
            range.end = end
            // What libavcodec writes for a VobSub cue without an end.
            let cue = try Packet(bytes: [1], pts: 1000, dts: 1000, duration: 4_294_967_295, timeBase: Self.milliseconds)
            return range.trim(cue, of: .subtitle) ? cue.duration : -1
        }
        #expect(durations == [0, 4000])
    }
}
