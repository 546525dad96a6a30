extension String {
    /// The text filled up with spaces on the right.
    package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// The text filled up with spaces on the left.
    package func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }

    package var trimmingTrailingSpace: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
