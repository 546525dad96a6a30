import VTXFFmpeg
import VTXMedia
import VTXSession

extension DecompressionCore {
    /// The number of consecutive errors after which the decoder counts as ended.
    private static let maxErrors = 64

    func takeFrames() throws(SessionError) {
        var errorCount = 0
        while decoder != nil, errorCount < Self.maxErrors {
            var frame: Frame?
            errorCount += 1
            try tolerating(isTimed: pending.count > 0) { decoder throws(SessionError) in
                frame = try decoder.receive()
                errorCount = frame == nil ? Self.maxErrors : 0
            }
            if let frame { deliver(frame) }
        }
    }

    private func deliver(_ frame: Frame) {
        var times: FrameAnnotation?
        if let ticks = frame.pts {
            giveMissed(pending.removeAll(before: ticks))
            // Frames that come out of order were taken for lost, and reported.
            guard let known = pending.remove(at: ticks) else { return }
            times = known
        } else {
            untimed.noteOutput()
        }
        let damage = SessionError(damageOf: frame)
        do throws(SessionError) { give(try decoder?.deliver(frame), times, damage) } catch {
            give(nil, times, error)
        }
    }

    /// Reports frames that did not come out although later ones have.
    private func giveMissed(_ frames: [FrameAnnotation]) {
        guard !frames.isEmpty else { return }
        let reason = reasonForLoss ?? SessionError(.badData, "the frame's data could not be decoded")
        reasonForLoss = nil
        for frame in frames { give(nil, frame, reason) }
    }

    /// Drains the decoder and discards it.
    func drain() throws(SessionError) {
        try tolerating(isTimed: true) { decoder throws(SessionError) in try decoder.finish() }
        try takeFrames()
        giveMissed(pending.removeAll())
        // Whether these were to be shown at all is not known.
        _ = untimed.removeAll()
        decoder = nil
    }

    /// Reports the frames in a lost decoder.
    func giveLost(_ error: SessionError) {
        for lost in pending.removeAll() { give(nil, lost, error) }
        for _ in 0..<untimed.removeAll() { give(nil, nil, error) }
    }

    /// Reports a frame, unless the session has been invalidated.
    func give(_ picture: PixelBuffer?, _ times: FrameAnnotation?, _ error: SessionError?) {
        guard !state.signals.isInvalid, times?.isHidden != true else { return }
        let times = counter.place(times, frameRate: parameters.picture?.frameRate ?? configuration.fps ?? 25)
        outputs.give(
            DecodedFrame(
                pixelBuffer: picture, presentationTime: times.time, duration: times.duration, context: times.context,
                error: error))
    }
}

extension SessionError {
    /// nil for a frame that appears undamaged.
    fileprivate init?(damageOf frame: Frame) {
        guard frame.isCorrupt else { return nil }
        if frame.damage.isDisjoint(with: [.missingReference, .inherited]) || frame.damage.contains(.decoding) {
            self.init(.badData, "a damaged part of the frame was concealed")
        } else if frame.damage.contains(.missingReference) {
            self.init(.referenceMissing, "a reference of the frame is missing")
        } else {
            self.init(.referenceMissing, "references of the frame are damaged, or may be")
        }
    }
}
