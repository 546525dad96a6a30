extension [UInt8] {
    package init(copying bytes: RawSpan) {
        self.init()
        append(bytes)
    }

    package mutating func append(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { raw in
            // Only buffers of the array's element type are copied as a block.
            raw.withMemoryRebound(to: UInt8.self) { self.append(contentsOf: $0) }
        }
    }

    package mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    package mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}

extension MutableRawSpan {
    /// Overwrites bytes from an offset. The range must be inside.
    package mutating func replace(from offset: Int, with bytes: RawSpan) {
        withUnsafeMutableBytes { target in
            bytes.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + $0.count]).copyMemory(from: $0)
            }
        }
    }
}
