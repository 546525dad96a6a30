import VTXMedia
import VTXSession

extension VideoEncoderConfiguration {
    static let bitrates = 1000...1_000_000_000
    static let gopSizes = 1...1_000_000

    /// The size of the encoded picture.
    var codedSize: PixelSize { size.roundedDownToEven }

    /// - Throws: `.badParameter` with the first value that is out of range, and the range.
    func check() throws(SessionError) {
        let sides = 16...16384
        try demand(
            sides.contains(size.width) && sides.contains(size.height), "size", "\(size)", "sides of 16 to 16384 pixels")
        try demand(
            Self.bitrates.contains(bitrate), "bitrate", "\(bitrate)", "1000 to 1000000000 bits per second")
        try demand(fps.isFrameRate, "fps", "\(fps)", Rational.frameRatesAllowed)
        try demand(Self.gopSizes.contains(gopSize), "gopSize", "\(gopSize)", "1 to 1000000 frames")
        if let seconds = maxKeyFrameIntervalDuration {
            try demand(
                seconds > 0 && seconds <= 3600, "maxKeyFrameIntervalDuration", "\(seconds)",
                "above 0, up to 3600 seconds")
        }
        try demand(
            pixelAspectRatio.isPositive && pixelAspectRatio.isShort, "pixelAspectRatio", "\(pixelAspectRatio)",
            "two positive numbers of 31 bits")
        try checkQuality()
        try checkLimits()
        try checkProfile()
        try checkLayers()
        try color.check()
        try checkHDR()
    }

    /// Rejects VideoToolbox's 0.7, which would be nearly the worst quality here.
    private func checkQuality() throws(SessionError) {
        guard let value = quality?.value else { return }
        try demand(
            value == 0 || value >= 1, "quality", "\(value)",
            "0 to 100, where VideoToolbox has 0 to 1: \(Int((value * 100).rounded())) is its \(value)")
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
            "cavlc, because Baseline has no CABAC")
    }

    private func checkLayers() throws(SessionError) {
        let fraction = baseLayerFrameRateFraction
        try demand([0.5, 1].contains(fraction), "baseLayerFrameRateFraction", "\(fraction)", "0.5 or 1")
        guard fraction < 1 else { return }
        try demand(
            openBFrame && allowsTemporalCompression && !isRealTime && profile?.allowsBFrames != false,
            "baseLayerFrameRateFraction", "\(fraction) without B frames",
            "1, or a profile other than baseline with openBFrame and allowsTemporalCompression, not in real time")
    }

    private func demand(
        _ condition: Bool, _ name: String, _ value: String, _ allowed: String
    ) throws(SessionError) {
        guard condition else { throw SessionError(.badParameter, "\(name) cannot be \(value); allowed: \(allowed)") }
    }
}

extension Rational {
    static let frameRates = 0.01...1000
    static let frameRatesAllowed = "0.01 to 1000, as a fraction of numbers of 31 bits"
    var isFrameRate: Bool { isPositive && isShort && Self.frameRates.contains(value) }

    /// Whether codecs and containers can express it.
    fileprivate var isShort: Bool { numerator <= Int(Int32.max) && denominator <= Int(Int32.max) }
}

extension ClosedRange<Int> {
    var asNumbers: ClosedRange<Double> { Double(lowerBound)...Double(upperBound) }
}

extension ColorDescription {
    /// - Throws: `.badParameter` for codes that no bitstream can express.
    func check() throws(SessionError) {
        let codes = 0...255
        guard codes.contains(primaries), codes.contains(transfer), codes.contains(matrix),
            (0...5).contains(chromaLocation ?? 0)
        else {
            throw SessionError(
                .badParameter,
                "colors cannot be \(primaries), \(transfer), \(matrix) with chroma location \(chromaLocation ?? 0); "
                    + "allowed: codes from 0 to 255, locations from 0 to 5")
        }
    }
}
