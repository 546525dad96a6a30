import Glibc

/// Where a Matroska file ends by its own word: the size of its Segment, which holds everything after the EBML header
/// (RFC 8794 for EBML, RFC 9559 5.1 for the Segment).
enum MatroskaSegment {
    private static let headerID: UInt64 = 0x1a45_dfa3
    private static let segmentID: UInt64 = 0x1853_8067
    /// Enough for both heads; writers that pad the EBML header do so by a few bytes.
    private static let headBytes = 4096

    /// The offset after the Segment's last byte; nil where the file does not say it, as a live recording does not.
    static func end(ofFile path: String) -> Int64? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var head = [UInt8](repeating: 0, count: headBytes)
        head.removeLast(headBytes - fread(&head, 1, headBytes, file))
        return end(in: head)
    }

    /// - Parameter head: the first bytes of the file.
    static func end(in head: [UInt8]) -> Int64? {
        var reader = EBMLReader(bytes: head)
        guard let header = reader.element(), header.id == headerID, let length = header.size else { return nil }
        reader.skip(length)
        guard let segment = reader.element(), segment.id == segmentID, let length = segment.size else { return nil }
        let (end, overflow) = Int64(reader.offset).addingReportingOverflow(length)
        return overflow ? nil : end
    }
}

/// Reads the heads of EBML elements.
private struct EBMLReader {
    let bytes: [UInt8]
    private(set) var offset = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// - Returns: nil where the bytes end; a nil size is an unknown one (RFC 8794 6.2: all data bits are ones).
    mutating func element() -> (id: UInt64, size: Int64?)? {
        guard let id = variableInteger(), let size = variableInteger() else { return nil }
        let marker = UInt64(1) << (7 * size.length)
        let value = size.value & (marker - 1)
        return (id.value, value == marker - 1 ? nil : Int64(value))
    }

    mutating func skip(_ count: Int64) { offset += Int(min(count, Int64(bytes.count - offset))) }

    /// RFC 8794 4: as many zero bits as there are more bytes, a one, and the number; here with that one.
    private mutating func variableInteger() -> (value: UInt64, length: Int)? {
        guard offset < bytes.count, bytes[offset] != 0 else { return nil }
        let length = bytes[offset].leadingZeroBitCount + 1
        guard offset + length <= bytes.count else { return nil }
        defer { offset += length }
        return (bytes[offset..<offset + length].reduce(0) { $0 << 8 | UInt64($1) }, length)
    }
}
