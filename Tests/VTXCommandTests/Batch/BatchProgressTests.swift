import Testing
import VTXTask

@testable import VTXCommand

@Suite("Progress of several inputs")
struct BatchProgressTests {
    private func progress(_ seconds: Double, of total: Double = 100, phase: Progress.Phase = .transcoding) -> Progress {
        Progress(
            phase: phase, frames: 0, totalFrames: nil, seconds: seconds, totalSeconds: total, elapsedSeconds: 10,
            bytes: 0)
    }

    @Test("each input counts by its size, and ended ones completely")
    func fraction() {
        var all = BatchProgress(sizes: [100, 300])
        all.note(progress(50), of: 0)
        #expect(all.fraction == 0.125)
        all.end(0)
        all.note(progress(50), of: 1)
        #expect(all.fraction == 0.625)
    }

    @Test("a search before the transcode is no progress, and progress never decreases")
    func searching() {
        var all = BatchProgress(sizes: [0])
        all.note(progress(90, phase: .searching), of: 0)
        #expect(all.fraction == 0)
        all.note(progress(60), of: 0)
        all.note(progress(20), of: 0)
        #expect(all.fraction == 0.6)
    }

    @Test("it has the number of ended inputs, the speed of the others, and the remaining time")
    func text() {
        var all = BatchProgress(sizes: [100, 100, 200])
        all.end(2)
        all.note(progress(20), of: 0)
        all.note(progress(40), of: 1)
        #expect(
            all.text(width: 79, elapsed: 13)
                == " 65%  [==========================>             ]  1 of 3 files  6.0x  ETA 0:07")
        #expect(all.text(width: 20, elapsed: 13).count <= 20)
    }
}
