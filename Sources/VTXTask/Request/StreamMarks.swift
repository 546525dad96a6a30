import VTXMedia

/// What is said of a stream of the output in place of what its file says: `language=deu:title=Untertitel:default`.
package struct StreamMarks: Sendable, Hashable {
    /// ISO 639-2/T's code, or another tag of three letters; nil where the file, or its name, says it.
    package var language: String?
    package var title: String?
    /// Players begin with it.
    package var isDefault = false
    package var isForced = false

    package init() {}

    /// Takes one part of a text that is cut at its colons. Colons that no property follows belong to the title.
    ///
    /// - Returns: false for what says nothing of a stream.
    mutating func read(_ part: String) -> Bool {
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

    /// What `read` takes.
    var parts: [String] {
        [
            language.map { "language=\($0)" }, title.map { "title=\($0)" }, isDefault ? "default" : nil,
            isForced ? "forced" : nil,
        ].compactMap(\.self)
    }
}
