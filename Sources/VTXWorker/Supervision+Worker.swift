import VTXMedia
import VTXSystem
import VTXTask

extension Supervision {
    /// What is known of the worker that runs.
    package struct Worker: Sendable {
        /// What the worker has to do with a GPU.
        package enum Hardware: Sendable, Hashable {
            /// Drivers are being asked what they can do.
            case probed
            case used
            case unused
        }

        package private(set) var hardware: Hardware
        /// The GPU whose driver was called last; nil before the first call.
        private var device: DeviceID?
        /// It was told to use no GPU, whatever it says.
        private let avoidsHardware: Bool
        private var codec: VideoCodec?
        private var output: String?
        private var progress: Progress?
        /// What it has read of a pipe, or written into one, no other worker can.
        private(set) var hasUsedPipe = false
        private(set) var outcome: Outcome?
        /// Seconds of silence for which it was killed; nil where it was not.
        private var killedAfter: Double?
        var watchdog = Watchdog()

        init(avoidsHardware: Bool) {
            self.avoidsHardware = avoidsHardware
            hardware = avoidsHardware ? .unused : .probed
        }

        mutating func note(_ event: WorkerEvent) {
            switch event {
            case .using(let device): self.device = device
            case .writing(let output): self.output = output
            case .pipe(.used): hasUsedPipe = true
            // What waits for another program hangs in no driver.
            case .pipe(.waits): break
            case .transcode(.planned(let plan)):
                codec = plan.video.encoding?.codec
                hardware = plan.video.usesHardware && !avoidsHardware ? .used : .unused
            case .transcode(.progress(let now)):
                // The same number again is no sign of life.
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

        /// - Returns: false where it was killed before.
        mutating func kill() -> Bool {
            defer { watchdog.signOfLife() }
            guard killedAfter == nil else { return false }
            killedAfter = watchdog.silence
            return true
        }

        var wasKilled: Bool { killedAfter != nil }

        /// All is done but the end of the process.
        var isLeaving: Bool { outcome != nil || wasKilled }

        /// Whether what happens now may be a driver's doing. Its codecs are closed when the file has its end; while the
        /// file is checked, and put in place, no driver is called.
        var isInDriversHands: Bool {
            hardware != .unused && progress?.phase != .verifying
        }
    }
}

extension Progress {
    /// Whatever the clock says.
    fileprivate func isSame(as other: Progress?) -> Bool {
        phase == other?.phase && frames == other?.frames && bytes == other?.bytes && seconds == other?.seconds
    }
}

extension Supervision.Worker {
    func failure(_ ending: ProcessEnding) -> DriverFailure {
        let frames = hardware == .probed ? nil : progress?.frames ?? 0
        let time = frames.map { $0 == 1 ? "after 1 frame" : "after \($0) frames" } ?? "while vtx looked at it"
        let deed = killedAfter.map { "made no progress for \(tenths($0)) s" } ?? ending.words
        return DriverFailure(
            device: device, deed: "\(deed) \(time)", isHang: wasKilled, isWhileAsked: frames == nil, codec: codec)
    }

    private func tenths(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }

    /// What came of a worker that died when the output already had its name, as far as it is known. Whether the source
    /// was whole is not, and so it must not be deleted.
    func result(_ ending: ProcessEnding) -> TranscodeResult? {
        guard let output, let progress else { return nil }
        let notice = Notice(
            .workerLate,
            "a part of vtx \(ending.words) when the output was checked and in place; "
                + "what it still had to say of the source is lost")
        return TranscodeResult(
            outcome: .incompleteSource, output: output, frames: progress.frames, seconds: progress.seconds,
            bytes: progress.bytes, elapsedSeconds: 0, notices: [notice])
    }
}
