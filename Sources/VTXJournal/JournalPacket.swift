/// One coded unit as a journal keeps it: a frame of the video, or a packet of another stream.
///
/// On disk, little endian: byte count of what follows (UInt32), stream (UInt16), flags (UInt16), pts, dts, duration
/// (Int64 each), side data (count, then type, byte count and bytes of each), the rest is the payload.
package struct JournalPacket: Sendable, Hashable {
    package struct SideData: Sendable, Hashable {
        /// libavcodec's number (C: `AVPacketSideDataType`).
        package var type: UInt32
        package var bytes: [UInt8]

        package init(type: UInt32, bytes: [UInt8]) { (self.type, self.bytes) = (type, bytes) }
    }

    /// Its place in the output.
    package var stream = 0
    /// libavcodec's flags (C: `AV_PKT_FLAG_*`).
    package var flags: UInt16 = 0
    /// In ticks of the stream's time base; nil where a packet does not say.
    package var pts: Int64?
    package var dts: Int64?
    package var duration: Int64 = 0
    package var sideData: [SideData] = []
    package var payload: [UInt8]

    package init(payload: [UInt8]) { self.payload = payload }

    /// C: `AV_PKT_FLAG_KEY`.
    package var isKeyFrame: Bool { flags & 1 != 0 }
}

extension JournalPacket {
    /// C: `AV_NOPTS_VALUE`.
    private static let noTime = Int64.min
    /// No encoder makes larger frames; a larger number is damage.
    private static let maxByteCount = 1 << 30

    package func append(to buffer: inout [UInt8]) {
        let start = buffer.count
        buffer.appendInteger(UInt32(0))
        buffer.appendInteger(UInt16(clamping: stream))
        buffer.appendInteger(flags)
        for time in [pts ?? Self.noTime, dts ?? Self.noTime, duration] { buffer.appendInteger(time) }
        buffer.appendInteger(UInt16(clamping: sideData.count))
        for item in sideData {
            buffer.appendInteger(item.type)
            buffer.appendInteger(UInt32(clamping: item.bytes.count))
            buffer += item.bytes
        }
        buffer += payload
        let byteCount = UInt32(clamping: buffer.count - start - 4)
        for byte in 0..<4 { buffer[start + byte] = UInt8(truncatingIfNeeded: byteCount >> (8 * UInt32(byte))) }
    }

    /// The first packet of some bytes.
    ///
    /// - Returns: nil for bytes that are not a packet.
    package init?(_ reader: inout ByteCursor) {
        guard let byteCount = reader.integer(UInt32.self), byteCount <= Self.maxByteCount,
            var body = reader.slice(Int(byteCount)),
            let stream = body.integer(UInt16.self), let flags = body.integer(UInt16.self),
            let pts = body.integer(Int64.self), let dts = body.integer(Int64.self),
            let duration = body.integer(Int64.self), let count = body.integer(UInt16.self)
        else { return nil }
        var sideData: [SideData] = []
        for _ in 0..<count {
            guard let type = body.integer(UInt32.self), let size = body.integer(UInt32.self),
                let bytes = body.bytes(Int(size))
            else { return nil }
            sideData.append(SideData(type: type, bytes: bytes))
        }
        self.init(payload: body.rest)
        (self.stream, self.flags, self.sideData, self.duration) = (Int(stream), flags, sideData, duration)
        self.pts = pts == Self.noTime ? nil : pts
        self.dts = dts == Self.noTime ? nil : dts
    }
}

/// Reads little-endian numbers and bytes from the front of some bytes.
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

extension [UInt8] {
    /// Little endian.
    package mutating func appendInteger(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
