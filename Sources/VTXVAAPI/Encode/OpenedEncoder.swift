import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

struct OpenedEncoder {
    var context: EncoderContext
    var pixelFormat: PixelFormat
    var candidate: EncodingModeCandidate
    /// The better modes that did not open, with the reasons.
    var refusals: [EncoderOpenFailure]

    /// Each refusal with the next mode that was tried, whether or not that one opened.
    var compromises: [String] {
        let successors = refusals.dropFirst().map(\.mode) + [candidate.mode]
        let steps = zip(refusals, successors).map { "\($1) replaces \($0.mode), which \($0.words)" }
        return steps + [candidate.rate.compromise].compactMap(\.self)
    }

    /// Tries rate controls and entrypoints until one opens.
    static func open(
        _ configuration: EncoderConfiguration, _ device: OpenedDevice, after failures: [EncodingMode: String]
    ) throws(SessionError) -> OpenedEncoder {
        let candidates = device.answers.candidates(for: configuration)
        guard let best = candidates.first else { throw noEncoder(configuration) }
        let (pool, format) = try surfaces(for: configuration, best.row, device)
        var refusals: [EncoderOpenFailure] = []
        for candidate in candidates {
            if let reason = failures[candidate.mode] {
                refusals.append(
                    EncoderOpenFailure(mode: candidate.mode, words: "failed at the first picture: \(reason)"))
                continue
            }
            do throws(EncoderOpenFailure) {
                let context = try makeContext(candidate, configuration, pool)
                return OpenedEncoder(
                    context: context, pixelFormat: format, candidate: candidate, refusals: refusals)
            } catch {
                refusals.append(error)
            }
        }
        throw SessionError(.noSuchEncoder, EncoderOpenFailure.summary(refusals))
    }

    private static func makeContext(
        _ candidate: EncodingModeCandidate, _ configuration: EncoderConfiguration, _ pool: SurfacePool
    ) throws(EncoderOpenFailure) -> EncoderContext {
        do {
            return try EncoderContext(video: VideoEncoderSettings(configuration, candidate, surfaces: pool))
        } catch {
            throw EncoderOpenFailure(mode: candidate.mode, words: "did not open: \(error)")
        }
    }

    private static func noEncoder(_ configuration: EncoderConfiguration) -> SessionError {
        let profile = configuration.profile.name
        let lowPower = configuration.hardware.lowPower
        let mode = lowPower == .auto ? "" : lowPower == .on ? " with low power" : " without low power"
        return SessionError(.noSuchEncoder, "there is no encoder for \(configuration.codec) \(profile)\(mode)")
    }

    private static func surfaces(
        for configuration: EncoderConfiguration, _ row: DriverCapabilities.Row, _ device: OpenedDevice
    ) throws(SessionError) -> (SurfacePool, PixelFormat) {
        let wanted = configuration.pixelFormat
        guard
            let format = SurfaceFormat.all(in: row).map(\.pixelFormat)
                .first(where: { $0.hasSamples(like: wanted) })
        else { throw SessionError(.unsupportedFormat, "the GPU's encoder does not support \(wanted)") }
        do { return (try SurfacePool(device.hardware, size: configuration.size, pixelFormat: format), format) } catch {
            throw SessionError(error, while: "making surfaces of \(configuration.size)", else: .allocationFailed)
        }
    }
}

/// A mode that the driver lists but does not open.
struct EncoderOpenFailure: Error {
    var mode: EncodingMode
    /// Follows the names of one or more modes: "did not open: ...".
    var words: String

    /// Summarizes refusals, one clause per cause.
    static func summary(_ refusals: [EncoderOpenFailure]) -> String {
        var clauses: [(words: String, modes: [EncodingMode])] = []
        for refusal in refusals {
            if let index = clauses.firstIndex(where: { $0.words == refusal.words }) {
                clauses[index].modes.append(refusal.mode)
            } else {
                clauses.append((refusal.words, [refusal.mode]))
            }
        }
        return clauses.map { clause in
            clause.modes.map(\.description).joined(separator: ", ") + " " + clause.words
        }.joined(separator: "; ")
    }
}

/// An entrypoint of the driver with a rate control mode.
struct EncodingModeCandidate {
    var row: DriverCapabilities.Row
    var rate: RateControlChoice
    var quirks: DriverQuirks

    var mode: EncodingMode { EncodingMode(entrypoint: "\(row.entrypoint)", rateControl: rate.mode.rawValue) }

    /// The maximum number of regions of interest per frame. With a bit rate, the driver must support them as offsets.
    var maxRegions: Int {
        // libavcodec's `av1_vaapi` ignores them.
        guard row.profile != .av1Main, let regions = row.regions, rate.mode == .cqp || regions.takesOffsets else {
            return 0
        }
        return regions.maxCount
    }

    /// Whether B frames are used.
    func reorders(_ configuration: EncoderConfiguration) -> Bool {
        configuration.reordersFrames && row.reordersFrames(in: configuration.profile)
            && (!quirks.breaksBFrames(configuration.codec, row) || configuration.hardware.bFrameDepth != nil)
    }

    /// The number of B frames between two others: as many as the levels need. libavcodec supports at most 7.
    func maxBFrames(_ configuration: EncoderConfiguration, depth: Int) -> Int {
        guard reorders(configuration) else { return 0 }
        if configuration.writesTemporalLayers { return 1 }
        return depth > 1 ? min(7, (1 << depth) - 1) : 2
    }
}

extension DriverCapabilities {
    /// In the order of trying: another rate control mode costs less than another entrypoint.
    func candidates(for configuration: EncoderConfiguration) -> [EncodingModeCandidate] {
        let quirks = DriverQuirks(self)
        return encodingRows(configuration.profile, configuration.hardware.lowPower).flatMap { row in
            RateControlChoice.candidates(for: configuration, row, quirks).map {
                EncodingModeCandidate(row: row, rate: $0, quirks: quirks)
            }
        }.filter { !configuration.writesTemporalLayers || $0.reorders(configuration) }
    }

    /// The rows that encode the profile; empty if the driver lists encoders but none for it.
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
