package import VTXMedia

/// A file beside the source, of which a stream goes into the output, and what is said of it:
/// `movie.srt:language=deu:title=Untertitel:default`.
package struct AddedFile: Sendable, Hashable {
    package var path: String
    /// ISO 639-2/T's code, or another tag of three letters; nil where the file, or its name, says it.
    package var language: String?
    package var title: String?
    /// Players begin with it.
    package var isDefault = false
    package var isForced = false

    package init(_ path: String) { self.path = path }
}

extension AddedFile {
    /// nil for what is no such text.
    ///
    /// Colons that no property follows belong to the path, or to the title.
    package init?(text: String) {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)[...]
        var path = parts.removeFirst()
        while let part = parts.first, !Self.isProperty(part) { path += ":" + parts.removeFirst() }
        guard !path.isEmpty, path != "-", path.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        self.init(path)
        for part in parts { guard read(part) else { return nil } }
    }

    private static func isProperty(_ part: String) -> Bool {
        ["default", "forced"].contains(part) || part.hasPrefix("language=") || part.hasPrefix("title=")
    }

    private mutating func read(_ part: String) -> Bool {
        switch part {
        case "default": isDefault = true
        case "forced": isForced = true
        case _ where part.hasPrefix("title="): title = String(part.dropFirst("title=".count))
        case _ where part.hasPrefix("language="):
            language = Self.language(part.dropFirst("language=".count))
            return language != nil
        default:
            guard let title else { return false }
            self.title = title + ":" + part
        }
        return true
    }

    /// Containers have room for three letters.
    private static func language(_ tag: Substring) -> String? {
        let code = tag.prefix { $0 != "-" }
        guard code.allSatisfy({ $0.isASCII && $0.isLowercase }), LanguageCode.isKnown(code) || code.count == 3 else {
            return nil
        }
        return LanguageCode.canonical(tag)
    }
}

extension AddedFile: CustomStringConvertible {
    /// What `init(text:)` reads.
    package var description: String {
        let properties = [
            language.map { "language=\($0)" }, title.map { "title=\($0)" }, isDefault ? "default" : nil,
            isForced ? "forced" : nil,
        ]
        return ([path] + properties.compactMap(\.self)).joined(separator: ":")
    }
}

extension TranscodeRequest {
    /// All of them, with what is taken of each.
    package var additions: [(file: AddedFile, kind: StreamKind)] {
        addedAudio.map { ($0, .audio) } + addedSubtitles.map { ($0, .subtitle) }
    }
}
