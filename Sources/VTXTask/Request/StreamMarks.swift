package import VTXMedia

/// Properties of an output stream that override those in its file: `language=deu:title=Untertitel:default`.
package struct StreamMarks: Sendable, Hashable {
    /// An ISO 639-2/T code or another tag of three letters, maybe with script and region (`por-BR`); nil for the language in the file or its name.
    package var language: String?
    package var title: String?
    /// Whether players select it by default.
    package var isDefault = false
    package var isForced = false

    package init() {}

    /// Parses one part of a text split at colons. Colons without a following property belong to the title.
    ///
    /// - Returns: false if the part is not a property.
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

    private static func language(_ tag: Substring) -> String? {
        let code = tag.prefix { $0 != "-" }
        guard code.allSatisfy({ $0.isASCII && $0.isLowercase }), LanguageCode.isKnown(code) || code.count == 3 else {
            return nil
        }
        return LanguageCode.long(tag)
    }

    /// The parts for `read`.
    var parts: [String] {
        [
            language.map { "language=\($0)" }, title.map { "title=\($0)" }, isDefault ? "default" : nil,
            isForced ? "forced" : nil,
        ].compactMap(\.self)
    }
}

/// A file of which a stream is added to the output, with its properties:
/// `movie.srt:language=deu:title=Untertitel:default`.
package struct AddedFile: Sendable, Hashable {
    package var path: String
    package var marks = StreamMarks()
    /// The index among the file's streams of the requested kind. Not part of the text form.
    package var position = 0

    package init(_ path: String) { self.path = path }
}

extension AddedFile {
    /// nil for invalid text.
    ///
    /// Colons without a following property belong to the path or the title.
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
    /// The text for `init(text:)`.
    package var description: String { ([path] + marks.parts).joined(separator: ":") }
}

extension TranscodeRequest {
    /// All added files with the kind of stream to add.
    package var additions: [(file: AddedFile, kind: StreamKind)] {
        addedAudio.map { ($0, .audio) } + addedSubtitles.map { ($0, .subtitle) }
    }

    /// All files that are read.
    package var sourceFiles: [String] {
        (readsPipe ? [] : [input]) + appended + additions.map(\.file.path) + [drawnSubtitles?.file].compactMap(\.self)
    }
}

/// An audio stream of the output: the source's stream, its conversion, and its properties:
/// `0:aac:channels=stereo:bitrate=160k:title=Stereo:default`.
package struct AudioTrack: Sendable, Hashable {
    /// The source's streams, each of which becomes an output stream; never `none`.
    package var source: StreamFilter
    /// nil for the setting that applies to all audio.
    package var coding: AudioChoice?
    package var bitrate: Int?
    package var channels: ChannelLimit?
    package var loudness: Int?
    package var marks = StreamMarks()

    package init(_ source: StreamFilter) { self.source = source }
}
