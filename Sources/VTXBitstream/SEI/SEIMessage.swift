public import VTXMedia

/// An SEI message (`sei_message()`, H.264 7.3.2.3.1, H.265 7.3.5).
public struct SEIMessage: Sendable, Hashable {
    /// `payloadType`
    public var type: SEIPayloadType
    /// The payload without emulation prevention.
    public var payload: [UInt8]

    /// Creates a message from its type and payload.
    public init(type: SEIPayloadType, payload: [UInt8]) {
        self.type = type
        self.payload = payload
    }

    /// Returns the messages of an SEI NAL unit without start code.
    ///
    /// - Throws: `.truncated` if a message exceeds the NAL unit, or if there are only trailing bits.
    public static func messages(in unit: RawSpan, codec: NALCodec) throws(BitstreamError) -> [SEIMessage] {
        let header = codec == .h264 ? H264NALUnitHeader.byteCount : HEVCNALUnitHeader.byteCount
        guard unit.byteCount > header else { throw .truncated }
        var reader = ByteReader(EmulationPrevention.remove(from: unit, header..<unit.byteCount).withoutTrailingBits)
        var messages: [SEIMessage] = []
        repeat {
            let type = try reader.extendedNumber()
            let size = try reader.extendedNumber()
            messages.append(SEIMessage(type: SEIPayloadType(rawValue: type), payload: try reader.bytes(size)))
        } while reader.remaining > 0
        return messages
    }

    /// Returns `recovery_frame_cnt` (H.264 D.1.8) or `recovery_poc_cnt` (H.265 D.2.8) of a NAL unit; nil if it has
    /// neither.
    static func recoveryPoint(in unit: RawSpan, codec: NALCodec) -> Int? {
        let messages = try? messages(in: unit, codec: codec)
        return messages?.lazy.compactMap { $0.recoveryPoint(codec) }.first
    }
}

extension SEIMessage {
    /// `mastering_display_colour_volume()` (H.265 D.2.28, H.264 D.1.29); nil for other messages and truncated ones.
    public var masteringDisplay: MasteringDisplay? {
        guard type == .masteringDisplayColourVolume, payload.count >= 24 else { return nil }
        var reader = ByteReader(payload)
        let numbers = (0..<8).map { _ in (try? reader.number(2)) ?? 0 }
        guard let most = try? reader.number(4), let least = try? reader.number(4) else { return nil }
        // The primaries stand in the order green, blue, red.
        return MasteringDisplay(
            red: .init(numbers[4], numbers[5]), green: .init(numbers[0], numbers[1]),
            blue: .init(numbers[2], numbers[3]), white: .init(numbers[6], numbers[7]), minLuminance: least,
            maxLuminance: most)
    }

    /// `content_light_level_info()` (H.265 D.2.35, H.264 D.1.31).
    public var contentLightLevel: ContentLightLevel? {
        guard type == .contentLightLevel, payload.count >= 4 else { return nil }
        return ContentLightLevel(
            maxContent: Int(payload[0]) << 8 | Int(payload[1]), maxFrameAverage: Int(payload[2]) << 8 | Int(payload[3]))
    }

    /// The number of frames, or of steps of the picture order count, until all shown pictures are correct.
    public func recoveryPoint(_ codec: NALCodec) -> Int? {
        guard type == .recoveryPoint else { return nil }
        var bits = BitReader(payload)
        return codec == .h264 ? (try? bits.ue()).map(Int.init) : (try? bits.se()).map(Int.init)
    }

    /// `itu_t_t35_country_code`, with its extension byte, and what follows (H.264 D.1.6, H.265 D.2.6).
    public var userDataRegistered: (countryCode: [UInt8], bytes: [UInt8])? {
        guard type == .userDataRegistered, let first = payload.first else { return nil }
        let length = first == 0xff ? 2 : 1
        guard payload.count >= length else { return nil }
        return (Array(payload.prefix(length)), Array(payload.dropFirst(length)))
    }

    /// `uuid_iso_iec_11578` and what follows (H.264 D.1.7, H.265 D.2.7).
    public var userDataUnregistered: (uuid: [UInt8], bytes: [UInt8])? {
        guard type == .userDataUnregistered, payload.count >= 16 else { return nil }
        return (Array(payload.prefix(16)), Array(payload.dropFirst(16)))
    }
}

extension ByteReader {
    /// Reads a number coded as bytes of 255 that are added to a final smaller byte.
    fileprivate mutating func extendedNumber() throws(BitstreamError) -> Int {
        var sum = 0
        while true {
            let byte = try number(1)
            sum &+= byte
            if byte != 0xff { return sum }
        }
    }
}

extension [UInt8] {
    /// The RBSP without its trailing bits, which are a byte of 80 because an SEI RBSP consists of whole bytes, and
    /// without zeros after it.
    fileprivate var withoutTrailingBits: [UInt8] {
        guard let last = lastIndex(where: { $0 != 0 }), self[last] == 0x80 else { return self }
        return Array(self[..<last])
    }
}

extension SEIMessage {
    /// `mastering_display_colour_volume()` (H.265 D.2.28, H.264 D.1.29).
    public init(_ display: MasteringDisplay) {
        // The primaries stand in the order green, blue, red.
        let points = [display.green, display.blue, display.red, display.white]
        let luminances = [display.maxLuminance, display.minLuminance]
        self.init(
            type: .masteringDisplayColourVolume,
            payload: points.flatMap { bytes($0.x, 2) + bytes($0.y, 2) } + luminances.flatMap { bytes($0, 4) })
    }

    /// `content_light_level_info()` (H.265 D.2.35, H.264 D.1.31).
    public init(_ light: ContentLightLevel) {
        self.init(type: .contentLightLevel, payload: bytes(light.maxContent, 2) + bytes(light.maxFrameAverage, 2))
    }

    /// Returns a NAL unit with these messages, without start code; in HEVC a prefix SEI.
    public static func nalUnit(_ messages: [SEIMessage], codec: NALCodec) -> [UInt8] {
        let header =
            codec == .h264
            ? H264NALUnitHeader(refIDC: 0, type: .sei).bytes : HEVCNALUnitHeader(type: .prefixSEI).bytes
        let rbsp = messages.flatMap {
            extendedNumber($0.type.rawValue) + extendedNumber($0.payload.count) + $0.payload
        }
        return header + EmulationPrevention.insert(into: rbsp + [0x80])
    }
}

/// An unsigned big-endian number, truncated to the given size.
private func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
}

/// A number coded as bytes of 255 and a final smaller byte.
private func extendedNumber(_ value: Int) -> [UInt8] {
    [UInt8](repeating: 0xff, count: value / 255) + [UInt8(value % 255)]
}

/// `payloadType` of SEI messages (H.264 D.1.1, H.265 D.2.1). Messages that both codecs have in common have the same
/// number.
public struct SEIPayloadType: RawRepresentable, Sendable, Hashable {
    /// `payloadType`
    public var rawValue: Int

    /// Creates any type, including one without a name here.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `buffering_period()`
    public static let bufferingPeriod = Self(rawValue: 0)
    /// `pic_timing()`
    public static let pictureTiming = Self(rawValue: 1)
    /// `user_data_registered_itu_t_t35()`, such as closed captions and HDR10+ metadata.
    public static let userDataRegistered = Self(rawValue: 4)
    /// `user_data_unregistered()`
    public static let userDataUnregistered = Self(rawValue: 5)
    /// `recovery_point()`
    public static let recoveryPoint = Self(rawValue: 6)
    /// `frame_packing_arrangement()`
    public static let framePackingArrangement = Self(rawValue: 45)
    /// `display_orientation()`
    public static let displayOrientation = Self(rawValue: 47)
    /// `active_parameter_sets()` of HEVC.
    public static let activeParameterSets = Self(rawValue: 129)
    /// `mastering_display_colour_volume()`
    public static let masteringDisplayColourVolume = Self(rawValue: 137)
    /// `content_light_level_info()`
    public static let contentLightLevel = Self(rawValue: 144)
    /// `alternative_transfer_characteristics()`
    public static let alternativeTransfer = Self(rawValue: 147)
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

    /// The name of the type.
    public var description: String { Self.names[rawValue] ?? "SEI payload \(rawValue)" }
}
