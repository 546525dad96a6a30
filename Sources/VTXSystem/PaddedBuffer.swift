import Glibc

/// Bytes that one owner appends, and that others then share without a copy. Zeros follow the last byte, because
/// decoders read past the end.
///
/// Unchecked: only the owner that creates it appends, and only before it is shared.
package final class PaddedBuffer: @unchecked Sendable {
    /// C: `AV_INPUT_BUFFER_PADDING_SIZE`.
    package static let paddingByteCount = 64

    package private(set) var count = 0
    private var capacity: Int
    private var memory: UnsafeMutableRawPointer

    /// - Parameter capacity: The expected number of bytes.
    package init(capacity: Int = 0) {
        self.capacity = capacity
        memory = Self.resize(nil, to: capacity)
    }

    package convenience init(_ bytes: [UInt8]) {
        self.init(capacity: bytes.count)
        append(bytes.span.bytes)
    }

    deinit { free(memory) }

    /// C: `realloc`, which keeps the bytes where they are if it can.
    private static func resize(_ memory: UnsafeMutableRawPointer?, to capacity: Int) -> UnsafeMutableRawPointer {
        guard let resized = realloc(memory, capacity + paddingByteCount) else { fatalError("out of memory") }
        memset(resized + capacity, 0, paddingByteCount)
        return resized
    }

    package func append(_ bytes: RawSpan) {
        reserve(count + bytes.byteCount)
        bytes.withUnsafeBytes { source in
            if let base = source.baseAddress { memcpy(memory + count, base, source.count) }
        }
        count += bytes.byteCount
        memset(memory + count, 0, Self.paddingByteCount)
    }

    package func append(_ bytes: [UInt8]) { append(bytes.span.bytes) }

    /// Removes the last bytes.
    package func truncate(to count: Int) {
        self.count = min(count, self.count)
        memset(memory + self.count, 0, Self.paddingByteCount)
    }

    /// Returns memory that was reserved and is not needed.
    package func trim() {
        guard capacity > count else { return }
        (memory, capacity) = (Self.resize(memory, to: count), count)
    }

    private func reserve(_ needed: Int) {
        guard needed > capacity else { return }
        let larger = max(needed, 2 * capacity)
        (memory, capacity) = (Self.resize(memory, to: larger), larger)
    }

    package var isEmpty: Bool { count == 0 }

    /// Valid as long as the buffer exists and nothing is appended.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    /// A copy of the bytes.
    package var array: [UInt8] { [UInt8](copying: bytes.bytes) }
}

extension PaddedBuffer: Hashable {
    package static func == (left: PaddedBuffer, right: PaddedBuffer) -> Bool {
        left.count == right.count && memcmp(left.memory, right.memory, left.count) == 0
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }
}
