/// The mastering display's color volume (SMPTE ST 2086; H.265 D.3.28), in the units of the bitstream.
public struct MasteringDisplay: Sendable, Hashable, Codable {
    /// x and y of a chromaticity, in steps of 0.00002.
    public struct Chromaticity: Sendable, Hashable, Codable {
        public var x: Int
        public var y: Int

        public init(_ x: Int, _ y: Int) {
            self.x = x
            self.y = y
        }
    }

    public var red: Chromaticity
    public var green: Chromaticity
    public var blue: Chromaticity
    public var white: Chromaticity
    /// In steps of 0.0001 cd/m2.
    public var minLuminance: Int
    /// In steps of 0.0001 cd/m2.
    public var maxLuminance: Int

    public init(
        red: Chromaticity, green: Chromaticity, blue: Chromaticity, white: Chromaticity,
        minLuminance: Int, maxLuminance: Int
    ) {
        self.red = red
        self.green = green
        self.blue = blue
        self.white = white
        self.minLuminance = minLuminance
        self.maxLuminance = maxLuminance
    }
}

/// The content's light level (CTA-861.3; H.265 D.3.35), in cd/m2.
public struct ContentLightLevel: Sendable, Hashable, Codable {
    public var maxContent: Int
    public var maxFrameAverage: Int

    public init(maxContent: Int, maxFrameAverage: Int) {
        self.maxContent = maxContent
        self.maxFrameAverage = maxFrameAverage
    }
}

extension MasteringDisplay {
    /// Of a chromaticity (H.265 D.3.28).
    package static let coordinates = 0...50_000
    package static let luminances = 0...Int(UInt32.max)

    /// What the specification allows to be written: encoders refuse the rest.
    package var isExpressible: Bool {
        [red, green, blue, white].allSatisfy { Self.coordinates.contains($0.x) && Self.coordinates.contains($0.y) }
            && Self.luminances.contains(minLuminance) && Self.luminances.contains(maxLuminance)
            // The clause forbids this pair, and x264 holds to it.
            && (minLuminance, maxLuminance) != (50_000, 50_000)
    }
}

extension ContentLightLevel {
    package static let levels = 0...Int(UInt16.max)

    /// Its two numbers have 16 bits (H.265 D.2.35).
    package var isExpressible: Bool { Self.levels.contains(maxContent) && Self.levels.contains(maxFrameAverage) }
}

/// The static metadata of HDR10: either half may be missing.
public struct HDRMetadata: Sendable, Hashable, Codable {
    public var masteringDisplay: MasteringDisplay?
    public var contentLightLevel: ContentLightLevel?

    public init(masteringDisplay: MasteringDisplay? = nil, contentLightLevel: ContentLightLevel? = nil) {
        self.masteringDisplay = masteringDisplay
        self.contentLightLevel = contentLightLevel
    }

    public var isEmpty: Bool { masteringDisplay == nil && contentLightLevel == nil }
}
