import VTXMedia
import VTXSession
import VTXTask

/// The replacements for an encoder that fails in mid-file: its own device once more, then the other devices.
struct EncoderFallbacks: Sendable {
    private(set) var configuration: EncoderConfiguration
    /// The failed modes of `session`.
    let failedModes: [EncodingMode: String]
    /// The device whose surfaces frames may be on.
    let session: any DeviceSession
    let others: [DeviceCandidate]

    /// Best first.
    var all: [RecoveringEncoder.Candidate] { [own] + able.map(other) }

    var own: RecoveringEncoder.Candidate {
        CodecCandidate(session.capabilities) { [self] needs throws(SessionError) in
            try session.makeEncoder(configuration.keeping(to: needs), after: failedModes)
        }
    }

    /// - Parameter quality: nil for that of the configuration.
    func at(_ quality: Quality?) -> EncoderFallbacks {
        var replacements = self
        replacements.configuration = configuration.at(quality)
        return replacements
    }

    /// Returns an encoder for the next segment: on its own device, unless that is lost.
    func encoder(_ recoveries: RecoveryLog) throws(SessionError) -> any VideoEncoder {
        let note: @Sendable ([CodecReplacement]) -> Void = { recoveries.note($0, at: .encode) }
        var refusal: SessionError?
        if !recoveries.hasLost(own.device, at: .encode) {
            do throws(SessionError) {
                return RecoveringEncoder(
                    try own.open(CodecNeeds()), on: own, recoversStart: true, candidates: { _ in all },
                    onReplacement: note)
            } catch { refusal = error }
        }
        let rest = Array(all.dropFirst())
        let none = refusal ?? SessionError(.notAvailableNow, "\(own.name) failed before")
        let encoder = try RecoveringEncoder({ _ in rest }, else: none, onReplacement: note)
        if let refusal, let other = rest.first(where: { $0.device == encoder.device }) {
            note([CodecReplacement(of: own, after: refusal, by: other)])
        }
        return encoder
    }

    private var able: [DeviceCandidate] {
        others.filter {
            let row = $0.matrix.encoder(configuration.codec, configuration.profile)
            return row?.holds(configuration.size) ?? false && row?.input(like: configuration.pixelFormat) != nil
        }
    }

    private func other(_ candidate: DeviceCandidate) -> RecoveringEncoder.Candidate {
        CodecCandidate(candidate.matrix) { [self] needs throws(SessionError) in
            let download = try session.makeDownload(as: configuration.pixelFormat)
            return FilteredEncoder(download, try candidate.open().makeEncoder(configuration.keeping(to: needs)))
        }
    }
}

/// The replacements for a filter that fails in mid-file: its own device once more, then software.
struct FilterFallbacks: Sendable {
    /// Without a frame rate: one frame out for each frame in.
    let configuration: FilterConfiguration
    let session: any DeviceSession
    /// The devices from which frames come and to which they go.
    let source: any DeviceSession
    let target: any DeviceSession
    let others: [DeviceCandidate]

    /// Best first.
    var all: [RecoveringFilter.Candidate] { [own] + others.map(other) }

    var own: RecoveringFilter.Candidate {
        CodecCandidate(session.capabilities) { [self] _ throws(SessionError) in
            try session.makeFilter(configuration, from: source, to: target)
        }
    }

    private func other(_ candidate: DeviceCandidate) -> RecoveringFilter.Candidate {
        CodecCandidate(candidate.matrix) { [self] _ throws(SessionError) in
            try candidate.open().makeFilter(configuration, from: source, to: target)
        }
    }
}
