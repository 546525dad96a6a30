import VTXMedia
import VTXSession

extension VideoEncoderConfiguration {
    /// - Throws: `.badParameter` that names the first value which cannot be, and what could.
    func check() throws(SessionError) {
        let sides = 16...16384
        try demand(
            sides.contains(size.width) && sides.contains(size.height) && size == size.roundedDownToEven, "size",
            "\(size)",
            "even sides of 16 to 16384 pixels")
        try demand(
            (1000...1_000_000_000).contains(bitrate), "bitrate", "\(bitrate)", "1000 to 1000000000 bits per second")
        try demand(fps.isFrameRate, "fps", "\(fps)", Rational.frameRatesAllowed)
        try demand((1...1_000_000).contains(gopSize), "gopSize", "\(gopSize)", "1 to 1000000 frames")
        if let seconds = maxKeyFrameIntervalDuration {
            try demand(
                seconds > 0 && seconds <= 3600, "maxKeyFrameIntervalDuration", "\(seconds)",
                "above 0, up to 3600 seconds")
        }
        try demand(
            pixelAspectRatio.isPositive && pixelAspectRatio.isShort, "pixelAspectRatio", "\(pixelAspectRatio)",
            "two positive numbers of 31 bits")
        try checkLimits()
        try checkProfile()
        try color.check()
        try checkHDR()
    }

    private func checkHDR() throws(SessionError) {
        if let display = hdrMetadata.masteringDisplay {
            for point in [display.red, display.green, display.blue, display.white] {
                try demand(
                    MasteringDisplay.coordinates.contains(point.x) && MasteringDisplay.coordinates.contains(point.y),
                    "masteringDisplay",
                    "a color at \(point.x), \(point.y)", "0 to 50000, in steps of 0.00002")
            }
            try demand(
                display.isExpressible, "masteringDisplay", "\(display.minLuminance) to \(display.maxLuminance)",
                "numbers of 32 bits, not both 50000")
        }
        if let light = hdrMetadata.contentLightLevel {
            try demand(
                light.isExpressible, "contentLightLevel", "\(light.maxContent), \(light.maxFrameAverage)",
                "0 to 65535 cd/m2")
        }
    }

    private func checkLimits() throws(SessionError) {
        try demand(dataRateLimits.count <= 2, "dataRateLimits", "\(dataRateLimits.count) limits", "up to two")
        for limit in dataRateLimits {
            try demand(
                limit.byteCount > 0 && limit.byteCount <= 1 << 40 && limit.seconds >= 0.01 && limit.seconds <= 3600,
                "dataRateLimits", "\(limit.byteCount) bytes in \(limit.seconds) s", "at least 1 byte in 0.01 to 3600 s")
        }
    }

    private func checkProfile() throws(SessionError) {
        guard let profile else { return }
        try demand(
            codec == nil || profile.codec == codec, "profile", profile.name,
            VideoProfile.allCases.filter { $0.codec == codec }.map(\.name).joined(separator: ", "))
        try demand(
            profile != .baseline || entropyMode != .cabac, "entropyMode", "cabac",
            "cavlc, because Baseline has no other")
    }

    private func demand(
        _ condition: Bool, _ name: String, _ value: String, _ allowed: String
    ) throws(SessionError) {
        guard condition else { throw SessionError(.badParameter, "\(name) cannot be \(value); allowed: \(allowed)") }
    }
}

extension Rational {
    static let frameRatesAllowed = "0.01 to 1000, as a fraction of numbers of 31 bits"
    var isFrameRate: Bool { isPositive && isShort && (0.01...1000).contains(value) }

    /// As codecs and containers can write it.
    fileprivate var isShort: Bool { numerator <= Int(Int32.max) && denominator <= Int(Int32.max) }
}

extension ColorDescription {
    /// - Throws: `.badParameter` for what no bitstream can say.
    func check() throws(SessionError) {
        let codes = 0...255
        guard codes.contains(primaries), codes.contains(transfer), codes.contains(matrix),
            (0...5).contains(chromaLocation ?? 0)
        else {
            throw SessionError(
                .badParameter,
                "colors cannot be \(primaries), \(transfer), \(matrix) with samples at \(chromaLocation ?? 0); "
                    + "allowed: codes of 0 to 255, places of 0 to 5")
        }
    }
}

extension VideoProfile {
    /// What everyone plays: HEVC Main, H.264 High.
    init(defaultFor codec: VideoCodec) { self = codec == .h264 ? .high : .hevcMain }
}

extension EncoderConfiguration {
    /// The contract's words for what was asked of a session.
    init(_ wanted: VideoEncoderConfiguration, codec: VideoCodec, color: ColorDescription, timeBase: Rational) {
        let profile = wanted.profile ?? VideoProfile(defaultFor: codec)
        self.init(
            codec: codec, profile: profile, size: wanted.size,
            pixelFormat: .planar(profile.maxChroma, bitDepth: profile.maxBitDepth), timeBase: timeBase,
            frameRate: wanted.fps, sampleAspectRatio: wanted.pixelAspectRatio, color: color,
            hdrMetadata: wanted.hdrMetadata,
            rateControl: wanted.quality.map { .quality($0) } ?? .bitrate(average: wanted.bitrate, max: nil),
            preset: wanted.preset, maxKeyFrameInterval: wanted.allowsTemporalCompression ? wanted.gopSize : 1,
            allowsFrameReordering: wanted.openBFrame && profile.allowsBFrames)
        isRealTime = wanted.isRealTime
        entropyMode = codec == .h264 ? wanted.entropyMode : nil
        dataRateLimits = wanted.dataRateLimits
    }
}
