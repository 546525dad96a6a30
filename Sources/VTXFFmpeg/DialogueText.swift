import VTXMedia

/// A dialogue line of ASS, the form in which libavcodec passes text subtitles from a decoder to an encoder. Pure.
struct DialogueText: Sendable, Hashable {
    private enum Part: Hashable {
        case text(Substring)
        /// `{\b1\fs20}`
        case override(Substring)
    }

    /// ReadOrder, layer, style, name, three margins and effect, with their commas.
    private let fields: Substring
    private var parts: [Part]

    init(_ line: String) {
        let text = line.split(separator: ",", maxSplits: 8, omittingEmptySubsequences: false).last ?? ""
        fields = line[..<text.startIndex]
        parts = Self.parts(of: text)
    }

    private static func parts(of text: Substring) -> [Part] {
        var (parts, rest): ([Part], Substring) = ([], text)
        while let begin = rest.firstRange(of: #"{\"#), let end = rest[begin.upperBound...].firstIndex(of: "}") {
            parts += [.text(rest[..<begin.lowerBound]), .override(rest[begin.lowerBound...end])]
            rest = rest[rest.index(after: end)...]
        }
        return parts + [.text(rest)]
    }

    var line: String {
        parts.reduce(String(fields)) { line, part in
            switch part {
            case .text(let text), .override(let text): line + text
            }
        }
    }

    /// Removes vector drawings, `{\p1}m 0 0 l 100 0{\p0}`: other formats would show their commands as text.
    ///
    /// - Returns: whether any text is left.
    mutating func removeDrawings() -> Bool {
        var isDrawing = false
        parts = parts.filter { part in
            guard case .override(let tags) = part else { return !isDrawing }
            isDrawing = Self.drawingScale(in: tags).map { $0 > 0 } ?? isDrawing
            return true
        }
        return parts.contains { if case .text(let text) = $0 { !text.allSatisfy(\.isWhitespace) } else { false } }
    }

    /// The last `\p` of a block.
    private static func drawingScale(in tags: Substring) -> Int? {
        tags.split(separator: "\\").compactMap { tag in
            tag.first == "p" ? Int(tag.dropFirst().prefix(while: \.isNumber)) : nil
        }.last
    }

    mutating func escapeForWebVTT() {
        parts = parts.map { part in
            guard case .text(let text) = part else { return part }
            return .text(text.escapedForMarkup[...])
        }
    }
}
