import VTXSystem

/// The location of an open bitstream unit in a temporal unit of the low-overhead format (AV1 5.3 and 5.2). Every unit
/// declares its size except possibly the last one, which ends with the data.
package struct OpenBitstreamUnit: Sendable, Hashable {
    package var type: OpenBitstreamUnitType
    /// The range of the complete unit, with its header.
    package var range: Range<Int>
    /// The range after the header and the size.
    package var payload: Range<Int>
}

/// `obu_type` (AV1 6.2.2), not validated: 0 to 15.
package struct OpenBitstreamUnitType: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let sequenceHeader = Self(rawValue: 1)
    package static let temporalDelimiter = Self(rawValue: 2)
    package static let frameHeader = Self(rawValue: 3)
    package static let tileGroup = Self(rawValue: 4)
    package static let metadata = Self(rawValue: 5)
    /// A frame header with its tile group.
    package static let frame = Self(rawValue: 6)
    package static let redundantFrameHeader = Self(rawValue: 7)
    package static let tileList = Self(rawValue: 8)
    package static let padding = Self(rawValue: 15)

    /// Whether the unit begins with a frame header.
    package var hasFrameHeader: Bool { self == .frame || self == .frameHeader }
    /// Whether the unit contains coded samples.
    package var hasTiles: Bool { self == .frame || self == .tileGroup }
}

extension OpenBitstreamUnit {
    /// Returns the units of a temporal unit, in order.
    ///
    /// - Throws: if a unit extends beyond the data or has a forbidden bit set.
    package static func units(in bytes: RawSpan) throws(BitstreamError) -> [OpenBitstreamUnit] {
        var units: [OpenBitstreamUnit] = []
        var offset = 0
        while offset < bytes.byteCount {
            let unit = try OpenBitstreamUnit(in: bytes, at: offset)
            units.append(unit)
            offset = unit.range.upperBound
        }
        return units
    }

    /// Reads the header and the size of a unit in a byte stream; nil if their end has not arrived.
    ///
    /// - Throws: if they are invalid; each unit of a byte stream must declare its size.
    static func header(
        _ bytes: RawSpan
    ) throws(BitstreamError) -> (type: OpenBitstreamUnitType, size: Int)? {
        guard bytes.byteCount > 0 else { return nil }
        let header = bytes[0]
        guard header & 0x80 == 0 else { throw .invalid(element: "obu_forbidden_bit", value: 1) }
        guard header & 2 != 0 else { throw .invalid(element: "obu_has_size_field", value: 0) }
        var offset = header & 4 != 0 ? 2 : 1
        do throws(BitstreamError) {
            let size = try leb128(in: bytes, at: &offset)
            return (OpenBitstreamUnitType(rawValue: header >> 3 & 0xf), size)
        } catch {
            guard error == .truncated else { throw error }
            return nil
        }
    }

    /// Whether the unit declares its size (`obu_has_size_field`).
    package func hasSize(in bytes: RawSpan) -> Bool { bytes[range.lowerBound] & 2 != 0 }

    /// Returns the unit's header including a size.
    package func sizedHeader(in bytes: RawSpan) -> [UInt8] {
        let header = bytes[range.lowerBound]
        guard !hasSize(in: bytes) else { return bytes.copy(range.lowerBound..<payload.lowerBound) }
        let extensionEnd = range.lowerBound + (header & 4 != 0 ? 2 : 1)
        return [header | 2] + bytes.copy(range.lowerBound + 1..<extensionEnd) + Self.leb128(payload.count)
    }

    /// Returns the unit's bytes including a size.
    package func sized(in bytes: RawSpan) -> [UInt8] { sizedHeader(in: bytes) + bytes.copy(payload) }

    private init(in bytes: RawSpan, at start: Int) throws(BitstreamError) {
        let header = bytes[start]
        guard header & 0x80 == 0 else { throw .invalid(element: "obu_forbidden_bit", value: 1) }
        type = OpenBitstreamUnitType(rawValue: header >> 3 & 0xf)
        var offset = start &+ (header & 4 != 0 ? 2 : 1)
        var end = bytes.byteCount
        if header & 2 != 0 {
            let size = try Self.leb128(in: bytes, at: &offset)
            guard offset <= end, size <= end &- offset else { throw .truncated }
            end = offset &+ size
        }
        guard offset <= end else { throw .truncated }
        (range, payload) = (start..<end, offset..<end)
    }

    /// `leb128()` (AV1 4.10.5): seven bits per byte, least significant first.
    static func leb128(in bytes: RawSpan, at offset: inout Int) throws(BitstreamError) -> Int {
        var value: UInt64 = 0
        for position in 0..<8 {
            guard offset < bytes.byteCount else { throw .truncated }
            let byte = bytes[offset]
            offset &+= 1
            value |= UInt64(byte & 0x7f) << UInt64(7 &* position)
            guard byte & 0x80 != 0 else {
                guard value <= UInt64(UInt32.max) else { break }
                return Int(value)
            }
        }
        throw .invalid(element: "leb128", value: Int64(clamping: value))
    }

    /// Returns a unit with its size, without extension.
    package static func write(_ type: OpenBitstreamUnitType, _ payload: [UInt8]) -> [UInt8] {
        [type.rawValue << 3 | 2] + leb128(payload.count) + payload
    }

    private static func leb128(_ value: Int) -> [UInt8] {
        var (bytes, rest): ([UInt8], Int) = ([], value)
        repeat {
            bytes.append(UInt8(rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }
}

/// The first fields of a frame header (AV1 5.9.2), in a sequence without `reduced_still_picture_header`.
package struct AV1FrameStart: Sendable, Hashable {
    /// `show_existing_frame`: shows a previously decoded frame instead of coding one.
    package var showsExisting: Bool
    /// `frame_type`: 0 for a key frame, 1 for inter, 2 for intra only, 3 for switch.
    package var type: Int
    package var isShown: Bool

    /// - Parameter payload: The payload of a unit that `hasFrameHeader`.
    package init(_ payload: RawSpan) throws(BitstreamError) {
        guard payload.byteCount > 0 else { throw .truncated }
        let bits = payload[0]
        showsExisting = bits & 0x80 != 0
        type = showsExisting ? 1 : Int(bits >> 5 & 3)
        isShown = showsExisting || bits & 0x10 != 0
    }

    /// Whether decoding can begin at the frame.
    package var isShownKeyFrame: Bool { type == 0 && isShown }
}
