package import VTXMedia

/// A file beside the source, of which a stream goes into the output, and what is said of it:
/// `movie.srt:language=deu:title=Untertitel:default`.
package struct AddedFile: Sendable, Hashable {
    package var path: String
    package var marks = StreamMarks()
    /// Among the file's streams of the kind that is wanted. No text says it.
    package var position = 0

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
        for part in parts { guard marks.read(part) else { return nil } }
    }

    private static func isProperty(_ part: String) -> Bool {
        ["default", "forced"].contains(part) || part.hasPrefix("language=") || part.hasPrefix("title=")
    }
}

extension AddedFile: CustomStringConvertible {
    /// What `init(text:)` reads.
    package var description: String { ([path] + marks.parts).joined(separator: ":") }
}

extension TranscodeRequest {
    /// All of them, with what is taken of each.
    package var additions: [(file: AddedFile, kind: StreamKind)] {
        addedAudio.map { ($0, .audio) } + addedSubtitles.map { ($0, .subtitle) }
    }
}
