import Testing
import VTXTask

@testable import VTXCommand

@Suite("Progress for people and for programs")
struct ProgressLineTests {
    private let half = Progress(
        phase: .transcoding, frames: 1234, totalFrames: 2468, seconds: 50, totalSeconds: 100,
        elapsedSeconds: 20, bytes: 12_345_678)
    private let endless = Progress(
        phase: .transcoding, frames: 10, totalFrames: nil, seconds: 75, totalSeconds: nil, elapsedSeconds: 30,
        bytes: 999)

    @Test("a wide terminal gets a bar and all numbers")
    func wide() {
        let bar = "[====================>                   ]"
        let facts = "2.5x  ETA 0:20  61.7 fps  12.3 MB  1234/2468"
        #expect(ProgressLine.text(for: half, width: 120) == " 50%  \(bar)  \(facts)")
    }

    @Test("no line exceeds the terminal's width", arguments: 0...130)
    func fits(width: Int) {
        for phase in [Progress.Phase.transcoding, .finishing, .verifying] {
            for progress in [half, endless] {
                var progress = progress
                progress.phase = phase
                #expect(ProgressLine.text(for: progress, width: width).count <= width)
            }
        }
    }

    @Test("a narrow terminal keeps the most important numbers")
    func narrow() {
        #expect(ProgressLine.text(for: half, width: 24) == " 50%  2.5x  ETA 0:20")
        #expect(ProgressLine.text(for: half, width: 4) == " 50%")
    }

    @Test("without a length there is no bar and no remaining time")
    func unknownLength() {
        #expect(ProgressLine.text(for: endless, width: 80) == "1:15  2.5x  0.3 fps  999 B  10 frames")
    }

    @Test("a bar is empty at the start and full at the end")
    func bars() {
        #expect(ProgressLine.bar(0, width: 10) == "[>         ]")
        #expect(ProgressLine.bar(0.99, width: 10) == "[=========>]")
        #expect(ProgressLine.bar(1, width: 10) == "[==========]")
    }

    @Test("the other phases name themselves")
    func phases() {
        var progress = half
        progress.phase = .verifying
        #expect(ProgressLine.text(for: progress, width: 30) == " 50%  verifying ...")
    }

    @Test("progress is throttled, except for the first event and a new phase")
    func cadence() {
        var cadence = ProgressThrottle(interval: 0.5)
        let steps: [(Progress.Phase, Double)] = [
            (.transcoding, 20), (.transcoding, 20.4), (.transcoding, 20.6), (.finishing, 20.6),
        ]
        let admitted = steps.map { phase, elapsedSeconds in
            var progress = half
            progress.phase = phase
            progress.elapsedSeconds = elapsedSeconds
            return cadence.admits(progress)
        }
        #expect(admitted == [true, false, true, true])
    }

    @Test("ffmpeg's progress fields are present")
    func ffmpegBlock() {
        let lines = FFmpegProgress.block(for: half, isLast: true).split(separator: "\n")
        #expect(
            lines == [
                "frame=1234", "fps=61.7", "bitrate=1975.3kbits/s", "total_size=12345678",
                "out_time_us=50000000",
                "out_time_ms=50000000", "out_time=00:00:50.000000", "dup_frames=0", "drop_frames=0",
                "speed=2.5x",
                "progress=end",
            ])
    }
}
