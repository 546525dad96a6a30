import VTXMedia
import VTXSystem
import VTXTask

extension Supervision {
    /// The state of the running worker.
    package struct Worker: Sendable {
        /// The worker's use of a GPU.
        package enum Hardware: Sendable, Hashable {
            /// Drivers are being queried.
            case probed
            case used
            case unused
        }

        package private(set) var hardware: Hardware
        /// Which driver was called last; nil before the first call.
        private var use: DriverUse?
        /// Whether it was started without GPUs, whatever it reports.
        private let avoidsHardware: Bool
        private var codec: VideoCodec?
        private var output: String?
        private(set) var progress: Progress?
        /// Whether it has read from or written to a pipe, which no other worker can repeat.
        private(set) var hasUsedPipe = false
        private(set) var outcome: Outcome?
        /// The seconds of inactivity after which it was killed; nil if it was not.
        private var killedAfter: Double?
        var watchdog = Watchdog()

        init(avoidsHardware: Bool) {
            self.avoidsHardware = avoidsHardware
            hardware = avoidsHardware ? .unused : .probed
        }

        mutating func note(_ event: WorkerEvent) {
            switch event {
            case .using(let use): self.use = use
            case .writing(let output): self.output = output
            case .pipe(.used): hasUsedPipe = true
            // A worker that waits for another program does not hang in a driver.
            case .pipe(.waits): break
            case .transcode(.planned(let plan)):
                codec = plan.video.encoding?.codec
                hardware = plan.video.usesHardware && !avoidsHardware ? .used : .unused
                // A new attempt: after a failed verification, drivers are called again.
                progress = nil
            case .transcode(.progress(let now)):
                // An unchanged number is no progress.
                guard !now.isSame(as: progress) else { return }
                progress = now
            case .failed(let error): outcome = .failure(error)
            case .result, .done: outcome = .success(event)
            case .capturing(let description):
                codec = description.codec
                hardware = description.usesHardware && !avoidsHardware ? .used : .unused
            case .transcode, .log, .output, .answer: break
            }
            watchdog.signOfLife()
        }

        /// - Returns: false if it had already been killed.
        mutating func kill() -> Bool {
            defer { watchdog.signOfLife() }
            guard killedAfter == nil else { return false }
            killedAfter = watchdog.silence
            return true
        }

        /// The number of frames of the output.
        var frames: Int { progress?.frames ?? 0 }

        var wasKilled: Bool { killedAfter != nil }

        /// Whether only the process's exit is left.
        var isLeaving: Bool { outcome != nil || wasKilled }

        /// Whether a failure may be caused by a driver. The codecs are closed when the file is finished; while it is
        /// checked and renamed, no driver is called.
        var isInDriversHands: Bool {
            hardware != .unused && progress?.phase != .verifying
        }
    }
}

extension Progress {
    /// Compares everything except elapsed time.
    fileprivate func isSame(as other: Progress?) -> Bool {
        phase == other?.phase && frames == other?.frames && bytes == other?.bytes && seconds == other?.seconds
    }
}

extension Supervision.Worker {
    func failure(_ ending: ProcessEnding) -> DriverFailure {
        let frames = hardware == .probed ? nil : progress?.frames ?? 0
        let time = frames.map { $0 == 1 ? "after 1 frame" : "after \($0) frames" } ?? "while vtx probed it"
        let symptom = killedAfter.map { "made no progress for \(tenths($0)) s" } ?? ending.words
        return DriverFailure(
            device: use?.device, symptom: "\(symptom) \(time)", isHang: wasKilled, isWhileAsked: frames == nil,
            codec: codec,
            stage: frames == nil ? nil : stage)
    }

    /// The stage that failed; nil if it is unknown. A driver that crashes in a thread of its own leaves no note, and the
    /// stage that was sampled last may be another one.
    private var stage: VideoStage? { use.flatMap { $0.isSampled && !wasKilled ? nil : $0.stage } }

    private func tenths(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }

    /// Returns the result of a worker that died when the output already had its final name, as far as it is known.
    /// Whether the source was complete is unknown, so it must not be deleted.
    func result(_ ending: ProcessEnding, byteCount: Int64) -> TranscodeResult? {
        guard let output, let progress else { return nil }
        let notice = Notice(
            .workerLate,
            "a process of vtx \(ending.words) after the output was verified and in place; its last notices about the "
                + "source are lost, and with a journal the same command finishes the rest")
        return TranscodeResult(
            outcome: .incompleteSource, output: output, frames: progress.frames, seconds: progress.seconds,
            bytes: byteCount, elapsedSeconds: 0, notices: [notice])
    }
}
