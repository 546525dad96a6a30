import VTXMedia
import VTXTask

/// A character of burned-in subtitles that no font contains: it appears as a box or not at all.
struct MissingGlyph: Sendable, Hashable {
    /// nil if there is no font at all.
    let character: Character?

    /// Parses a log message, the only place where libass reports this (`ass_fontselect.c`).
    ///
    /// - Returns: nil for other messages.
    init?(message: String) {
        guard message.contains("failed to find any fallback"), let prefix = message.firstRange(of: "glyph 0x"),
            let value = UInt32(message[prefix.upperBound...].prefix { $0.isHexDigit }, radix: 16),
            let scalar = Unicode.Scalar(value)
        else { return nil }
        character = value == 0 ? nil : Character(scalar)
    }

    private static let maxNamed = 10

    static func notice(of glyphs: Set<MissingGlyph>) -> Notice? {
        if glyphs.isEmpty { return nil }
        if glyphs.contains(where: { $0.character == nil }) {
            return Notice(
                .downgradeGlyph,
                "there is no font for the subtitles, so characters are missing in the picture; install one, such as DejaVu Sans"
            )
        }
        let named = glyphs.compactMap(\.character).sorted().prefix(maxNamed).map { "\($0)" }.joined(separator: " ")
        let count = counted(glyphs.count, "character", "characters")
        return Notice(
            .downgradeGlyph,
            "no installed font has \(count) of the subtitles, which are shown as boxes: \(named); install a font that has them"
        )
    }
}
