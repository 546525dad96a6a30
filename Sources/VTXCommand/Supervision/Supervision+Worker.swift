import VTXMedia
import VTXTask
import VTXTranscode

extension Supervision {
    /// What is known of the worker that runs.
    struct Worker: Sendable {
        /// What the worker has to do with a GPU.
        enum Hardware: Sendable, Hashable {
            /// Drivers are being asked what they can do.
            case probed
            case used
            case unused
        }

        private(set) var hardware: Hardware
        /// The GPU whose driver was called last; nil before the first call.
        private(set) var device: String?
        /// It was told to use no GPU, whatever it says.
        private let avoidsHardware: Bool
        private(set) var codec: VideoCodec?
        private(set) var output: String?
        private(set) var progress: WorkerProgress?
        private(set) var ended: ExitCode?
        /// Seconds of silence for which it was killed; nil where it was not.
        private(set) var killedAfter: Double?
        var watchdog = Watchdog()

        init(avoidsHardware: Bool = false) {
            self.avoidsHardware = avoidsHardware
            hardware = avoidsHardware ? .unused : .probed
        }

        mutating func note(_ record: WorkerRecord) {
            switch record {
            case .using(let device): self.device = device
            case .planned(let usesHardware, let codec):
                self.codec = codec
                hardware = usesHardware && !avoidsHardware ? .used : .unused
            case .writing(let output): self.output = output
            case .progress(let now):
                // The same number again is no sign of life.
                guard now != progress else { return }
                progress = now
            case .ended(let code): ended = code
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
        var isLeaving: Bool { ended != nil || wasKilled }

        /// Whether what happens now may be a driver's doing. Its codecs are closed when the file has its end; while the
        /// file is checked, and put in place, no driver is called.
        var isInDriversHands: Bool {
            hardware != .unused && progress?.phase != .verifying
        }
    }
}

extension Supervision.Worker {
    func fault(_ ending: ProcessEnding) -> HardwareFault {
        let kind = killedAfter.map { HardwareFault.Kind.hung(seconds: $0) } ?? .ended(ending)
        return HardwareFault(
            kind: kind, device: device, frames: hardware == .probed ? nil : progress?.frames ?? 0, codec: codec)
    }

    /// What came of a worker that died when the output already had its name, as far as it is known. Whether the source
    /// was whole is not, and so it must not be deleted.
    func result(_ ending: ProcessEnding) -> TranscodeResult? {
        guard let output, let progress else { return nil }
        let notice = Notice(
            .workerLate,
            "a part of vtx \(ending.words) when the output was checked and in place; "
                + "what it still had to say of the source is lost")
        return TranscodeResult(
            outcome: .incompleteSource, output: output, frames: progress.frames,
            seconds: Double(progress.milliseconds) / 1000, bytes: progress.bytes, elapsedSeconds: 0,
            notices: [notice])
    }
}
