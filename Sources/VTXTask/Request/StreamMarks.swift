package import VTXMedia

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

/// An audio stream of the output: which of the source's it is made of, how, and what is said of it:
/// `0:aac:channels=stereo:bitrate=160k:title=Stereo:default`.
package struct AudioTrack: Sendable, Hashable {
    /// Each of the source's streams that it names becomes one; never `none`.
    package var source: StreamFilter
    /// Where it says nothing, what is said for all audio counts.
    package var coding: AudioChoice?
    package var bitrate: Int?
    package var channels: ChannelLimit?
    package var loudness: Int?
    package var marks = StreamMarks()

    package init(_ source: StreamFilter) { self.source = source }
}
