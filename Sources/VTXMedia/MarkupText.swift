extension StringProtocol {
    /// Escapes what begins tags and entities in WebVTT and XML (W3C WebVTT, 4.2.2; XML 1.0, 2.4).
    package var escapedForMarkup: String {
        let entities: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
        return reduce(into: "") { $0 += entities[$1] ?? String($1) }
    }

    /// Escapes text for elements and attributes of XML. Control characters, which XML 1.0 does not even allow as
    /// references (2.2), become spaces.
    package var escapedForXML: String {
        let allowed = unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control ? " " : Character(scalar)
        }
        return String(allowed).escapedForMarkup.reduce(into: "") { $0 += $1 == "\"" ? "&quot;" : String($1) }
    }
}
