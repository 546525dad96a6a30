extension String {
    /// The text without what a terminal would obey: file names may hold anything.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isControl {
                result += "\\x" + String(scalar.value, radix: 16)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The words in lines of at most this many columns; a longer word gets a line of its own.
    func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        for word in split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

extension Unicode.Scalar {
    /// C0, DEL and C1: what ECMA-48 gives a meaning to.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
