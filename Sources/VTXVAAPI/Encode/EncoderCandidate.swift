import VTXLibVA
import VTXMedia
import VTXSession

/// One way to open an encoder: an entrypoint of the driver's, with a way to hold the rate.
struct EncoderCandidate {
    var row: DriverCapabilities.Row
    var rate: RateControlChoice
    var quirks: DriverQuirks

    var mode: EncodingMode { EncodingMode(entrypoint: "\(row.entrypoint)", rateControl: rate.mode.rawValue) }

    /// Whether B frames are used.
    func reorders(_ configuration: EncoderConfiguration) -> Bool {
        let isDoubtful = configuration.codec == .hevc && row.entrypoint == .encSliceLP && !quirks.hasLowPowerHEVCBFrames
        return configuration.allowsFrameReordering && !configuration.isRealTime && row.reordersFrames
            && (!isDoubtful || configuration.hardware.bFrameDepth != nil)
    }
}

extension DriverCapabilities {
    /// In the order in which they are to be tried: another rate control costs less than the other entrypoint.
    func candidates(for configuration: EncoderConfiguration) -> [EncoderCandidate] {
        let quirks = DriverQuirks(self)
        return encodingRows(configuration.profile, configuration.hardware.lowPower).flatMap { row in
            RateControlChoice.candidates(for: configuration, row, quirks).map {
                EncoderCandidate(row: row, rate: $0, quirks: quirks)
            }
        }
    }

    /// The rows that encode the profile; none where the driver lists encoders and has none.
    func encodingRows(_ profile: VideoProfile, _ lowPower: LowPowerPolicy = .auto) -> [Row] {
        guard !lacksShaders, let rows = profile.vaProfile.map(encodingRows) else { return [] }
        return rows.filter { row in
            switch lowPower {
            case .auto: true
            case .on: row.entrypoint == .encSliceLP
            case .off: row.entrypoint == .encSlice
            }
        }
    }
}
