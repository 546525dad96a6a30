import VTXJSON
import VTXSystem

/// A coded frame in a journal.
///
/// On disk, little endian: the byte count of the rest (UInt32), flags (UInt16), pts, dts and duration (Int64 each);
/// with `signatureFlag`, the byte count of the signature (UInt16) and the signature; then the payload.
package struct JournalPacket: Sendable, Hashable {
    /// libavcodec's packet flags (C: `AV_PKT_FLAG_*`).
    package var flags: UInt16 = 0
    /// In ticks of the stream's time base; nil if unknown.
    package var pts: Int64?
    package var dts: Int64?
    package var duration: Int64 = 0
    /// Identifies the decoded frame, in a form that the writer chooses; empty if there is none.
    package var signature: [UInt8] = []
    package var payload: [UInt8]

    package init(payload: [UInt8]) { self.payload = payload }

    /// C: `AV_PKT_FLAG_KEY`.
    package var isKeyFrame: Bool { flags & 1 != 0 }
}

extension JournalPacket {
    /// C: `AV_NOPTS_VALUE`.
    private static let noTime = Int64.min
    private static let signatureFlag: UInt16 = 1 << 13
    /// No encoder writes larger frames; a larger count means corruption.
    private static let maxByteCount = 1 << 30

    package func append(to buffer: inout [UInt8]) {
        let start = buffer.count
        buffer.append(littleEndian: UInt32(0))
        buffer.append(littleEndian: signature.isEmpty ? flags : flags | Self.signatureFlag)
        for time in [pts ?? Self.noTime, dts ?? Self.noTime, duration] { buffer.append(littleEndian: time) }
        if !signature.isEmpty { buffer.append(littleEndian: UInt16(signature.count)) }
        buffer += signature
        buffer += payload
        let byteCount = UInt32(clamping: buffer.count - start - 4)
        for byte in 0..<4 { buffer[start + byte] = UInt8(truncatingIfNeeded: byteCount >> (8 * UInt32(byte))) }
    }

    /// Reads the next packet.
    ///
    /// - Returns: nil if the bytes are not a valid packet.
    package init?(_ reader: inout ByteCursor) {
        guard let byteCount = reader.integer(UInt32.self), byteCount <= Self.maxByteCount,
            var body = reader.slice(Int(byteCount)), let flags = body.integer(UInt16.self),
            let pts = body.integer(Int64.self), let dts = body.integer(Int64.self),
            let duration = body.integer(Int64.self)
        else { return nil }
        let signatureCount = flags & Self.signatureFlag == 0 ? 0 : body.integer(UInt16.self).map(Int.init)
        guard let signature = signatureCount.flatMap({ body.bytes($0) }) else { return nil }
        self.init(payload: body.rest)
        (self.flags, self.duration, self.signature) = (flags & ~Self.signatureFlag, duration, signature)
        self.pts = pts == Self.noTime ? nil : pts
        self.dts = dts == Self.noTime ? nil : dts
    }
}

extension JournalPacket {
    /// Marks a record that contains text instead of a frame.
    private static let textFlag: UInt16 = 1 << 14
    package var isText: Bool { flags == Self.textFlag }

    /// Creates a record with a value as JSON.
    package init(text value: some Encodable) throws {
        self.init(payload: Array(try JSONValue(encoding: value).text.utf8))
        flags = Self.textFlag
    }

    /// - Returns: nil for other records and other types of values.
    package func text<Value: Decodable>() -> Value? {
        isText ? try? JSONValue(parsing: payload).decoded(Value.self) : nil
    }
}

/// Reads little-endian integers and bytes in sequence.
package struct ByteCursor: Sendable {
    private var remaining: ArraySlice<UInt8>

    package init(_ bytes: [UInt8]) { remaining = bytes[...] }
    private init(_ bytes: ArraySlice<UInt8>) { remaining = bytes }

    package var isAtEnd: Bool { remaining.isEmpty }
    package var rest: [UInt8] { Array(remaining) }

    package mutating func integer<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
        let size = Value.bitWidth / 8
        guard remaining.count >= size else { return nil }
        defer { remaining.removeFirst(size) }
        return remaining.prefix(size).enumerated().reduce(Value(0)) {
            $0 | Value(truncatingIfNeeded: $1.element) << Value($1.offset * 8)
        }
    }

    package mutating func bytes(_ count: Int) -> [UInt8]? { slice(count)?.rest }

    package mutating func slice(_ count: Int) -> ByteCursor? {
        guard count >= 0, remaining.count >= count else { return nil }
        defer { remaining.removeFirst(count) }
        return ByteCursor(remaining.prefix(count))
    }
}
