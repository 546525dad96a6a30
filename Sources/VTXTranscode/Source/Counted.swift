/// `1 packet is`, `2 packets are`.
func counted(_ count: some BinaryInteger, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
}

/// `a, b, c`.
func list(_ words: [String]) -> String { words.joined(separator: ", ") }
