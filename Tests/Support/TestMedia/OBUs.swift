/// The open bitstream units of AV1's temporal units, read without a codec.
package enum OBUs {
    package static let sequenceHeader = 1
    private static let frames = [3, 6]

    package static func types(_ bytes: [UInt8]) -> [Int] { split(bytes).map(\.type) }

    /// Whether a frame header signals a shown key frame.
    package static func hasKeyFrame(_ bytes: [UInt8]) -> Bool {
        split(bytes).contains { frames.contains($0.type) && $0.payload.first.map { $0 >> 4 == 0b0001 } ?? false }
    }

    /// Each unit has a size, as in a container.
    package static func split(_ bytes: [UInt8]) -> [(type: Int, payload: ArraySlice<UInt8>)] {
        var units: [(type: Int, payload: ArraySlice<UInt8>)] = []
        var rest = bytes[...]
        while let header = rest.popFirst() {
            if header & 4 != 0 { _ = rest.popFirst() }
            var (size, shift) = (0, 0)
            while let byte = rest.popFirst() {
                size |= Int(byte & 0x7f) << shift
                shift += 7
                if byte & 0x80 == 0 { break }
            }
            units.append((Int(header >> 3 & 0xf), rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return units
    }
}
