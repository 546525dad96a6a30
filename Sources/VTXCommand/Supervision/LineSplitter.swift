/// Makes lines out of bytes that come in pieces.
struct LineSplitter {
    private var rest: [UInt8] = []
    /// A writer that never ends a line must not take all memory.
    static let longestLine = 16384

    /// The lines that these bytes complete, without their ends.
    mutating func add(_ bytes: [UInt8]) -> [String] {
        rest += bytes
        guard let end = rest.lastIndex(of: newline) else {
            if rest.count > Self.longestLine { rest = [] }
            return []
        }
        let lines = rest[..<end].split(separator: newline).map { String(decoding: $0, as: UTF8.self) }
        rest.removeSubrange(...end)
        return lines
    }
}

private let newline = UInt8(ascii: "\n")
