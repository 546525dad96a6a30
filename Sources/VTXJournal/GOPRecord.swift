import VTXSystem

/// A closed GOP in a shard's index: its position, its frames, and its checksum.
///
/// On disk, 60 bytes, little endian; the last four are the CRC-32C of the others.
package struct GOPRecord: Sendable, Hashable {
    /// The number within the shard, from 0.
    package var number: UInt32
    /// The position of its first byte in the shard's `.gops` file.
    package var offset: Int64
    package var byteCount: Int64
    package var frameCount: UInt32
    /// The presentation times of the first and last frame shown, in ticks of the encoder's time base.
    package var firstPTS: Int64
    package var lastPTS: Int64
    /// The CRC-32C of its parameter sets.
    package var parameterSets: UInt32
    /// The CRC-32C of its bytes in `.gops`.
    package var checksum: UInt32

    package static let byteCount = 60
    private static let magic: UInt32 = 0x504f_4776  // "vGOP"

    package init(
        number: UInt32, offset: Int64, byteCount: Int64, frameCount: UInt32, firstPTS: Int64, lastPTS: Int64,
        parameterSets: UInt32, checksum: UInt32
    ) {
        self.number = number
        self.offset = offset
        self.byteCount = byteCount
        self.frameCount = frameCount
        self.firstPTS = firstPTS
        self.lastPTS = lastPTS
        self.parameterSets = parameterSets
        self.checksum = checksum
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: Self.magic)
        bytes.append(littleEndian: number)
        for value in [offset, byteCount, firstPTS, lastPTS] { bytes.append(littleEndian: value) }
        for value in [frameCount, parameterSets, checksum, 0] { bytes.append(littleEndian: value) }
        bytes.append(littleEndian: CRC32C(bytes.span.bytes).value)
        return bytes
    }

    /// Returns nil if the bytes are not a valid record.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        var cursor = ByteCursor(bytes)
        let check = CRC32C(bytes.span.extracting(first: Self.byteCount - 4).bytes).value
        guard cursor.integer(UInt32.self) == Self.magic, let number = cursor.integer(UInt32.self),
            let offset = cursor.integer(Int64.self), let byteCount = cursor.integer(Int64.self),
            let firstPTS = cursor.integer(Int64.self), let lastPTS = cursor.integer(Int64.self),
            let frameCount = cursor.integer(UInt32.self), let parameterSets = cursor.integer(UInt32.self),
            let checksum = cursor.integer(UInt32.self), cursor.integer(UInt32.self) == 0,
            cursor.integer(UInt32.self) == check
        else { return nil }
        self.init(
            number: number, offset: offset, byteCount: byteCount, frameCount: frameCount, firstPTS: firstPTS,
            lastPTS: lastPTS, parameterSets: parameterSets, checksum: checksum)
    }
}
