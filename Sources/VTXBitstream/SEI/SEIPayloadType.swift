/// `payloadType` of SEI messages (H.264 D.1.1, H.265 D.2.1); both codecs number alike what both have.
package struct SEIPayloadType: RawRepresentable, Sendable, Hashable {
    package var rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let bufferingPeriod = Self(rawValue: 0)
    package static let pictureTiming = Self(rawValue: 1)
    package static let userDataRegistered = Self(rawValue: 4)
    package static let userDataUnregistered = Self(rawValue: 5)
    package static let recoveryPoint = Self(rawValue: 6)
    package static let framePackingArrangement = Self(rawValue: 45)
    package static let displayOrientation = Self(rawValue: 47)
    package static let activeParameterSets = Self(rawValue: 129)
    package static let masteringDisplayColourVolume = Self(rawValue: 137)
    package static let contentLightLevel = Self(rawValue: 144)
    package static let alternativeTransfer = Self(rawValue: 147)
}

extension SEIPayloadType: CustomStringConvertible {
    private static let names: [Int: String] = [
        0: "buffering period", 1: "picture timing", 2: "pan-scan rectangle", 3: "filler payload",
        4: "user data registered by ITU-T T.35", 5: "user data unregistered", 6: "recovery point",
        9: "scene information", 15: "picture snapshot", 17: "progressive refinement segment end", 19: "film grain",
        22: "post-filter hint", 23: "tone mapping information", 45: "frame packing arrangement",
        47: "display orientation", 56: "green metadata", 128: "structure of pictures information",
        129: "active parameter sets", 130: "decoding unit information", 131: "temporal sub-layer zero index",
        132: "decoded picture hash", 133: "scalable nesting", 134: "region refresh information",
        135: "no display", 136: "time code", 137: "mastering display colour volume",
        138: "segmented rectangular frame packing arrangement", 144: "content light level information",
        145: "dependent random access point indication", 147: "alternative transfer characteristics",
        148: "ambient viewing environment", 149: "content colour volume", 165: "alpha channel information",
    ]

    package var description: String { Self.names[rawValue] ?? "SEI payload \(rawValue)" }
}
