import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// A stream of a separate file, which is added to the output after the source's own streams.
package struct AddedStream: Sendable {
    let demuxer: Demuxer
    /// The stream as numbered in the source.
    let stream: InputStream
    /// Its index in its own file.
    let index: Int
    /// The start time of its file, in seconds, if that is arbitrary, or the encoder's delay (MP3).
    let origin: Double
    /// Whether libavformat reads all of the file by itself.
    let isReadWhole: Bool

    /// - Parameters:
    ///   - kind: Audio or subtitles. The file's first stream of this kind is used unless `file` selects another one.
    ///   - number: The index in the source.
    /// - Throws: `input.*`.
    static func open(
        _ file: AddedFile, _ kind: StreamKind, as number: Int, beside source: String
    ) throws(TranscodeError) -> AddedStream {
        _ = try InputFile.check(file.path)
        var demuxer = try InputFile.open(file.path)
        let isReadWhole = kind == .subtitle ? try SubtitleText.check(file.path, &demuxer) : true
        guard var stream = demuxer.streams.filter({ $0.kind == kind }).dropFirst(file.position).first else {
            throw nothing(of: kind, in: file)
        }
        let index = stream.index
        stream.index = number
        stream.file = file.path
        stream.describe(file, AddedFileName(file.path, beside: source))
        let isArbitrary = demuxer.hasDiscontinuities || demuxer.formatName == "mp3"
        let origin = isArbitrary ? demuxer.startTime?.seconds ?? 0 : 0
        return AddedStream(
            demuxer: demuxer, stream: stream, index: index, origin: origin, isReadWhole: isReadWhole)
    }

    private static func nothing(of kind: StreamKind, in file: AddedFile) -> TranscodeError {
        kind == .audio
            ? TranscodeError(
                .inputNoAudio, "there is no audio in '\(file.path)'",
                hint: "\(option: .addAudio) takes the first audio stream of a file")
            : TranscodeError(
                .inputNoSubtitles, "there are no subtitles in '\(file.path)'",
                hint: "\(option: .addSubtitles) takes .srt, .ass and .vtt files, and others that have subtitles")
    }
}

extension InputStream {
    /// Adds metadata: that of the request takes precedence over that of the file, and that over the file name.
    fileprivate mutating func describe(_ file: AddedFile, _ name: AddedFileName) {
        var marks = file.marks
        if marks.language == nil, self.language ?? "und" == "und" { marks.language = name.language }
        self.disposition.remove(.default)
        self.disposition.formUnion(name.disposition)
        take(marks)
    }

    /// Adds the metadata of the request, which takes precedence over the file's.
    mutating func take(_ marks: StreamMarks) {
        if let language = marks.language { tag("language", language) }
        if let title = marks.title {
            // QuickTime's name for it.
            self.metadata = self.metadata.filter { $0.key.lowercased() != "handler_name" }
            tag("title", title)
        }
        if marks.isDefault { self.disposition.insert(.default) }
        if marks.isForced { self.disposition.insert(.forced) }
    }

    private mutating func tag(_ key: String, _ value: String) {
        self.metadata = self.metadata.filter { $0.key.lowercased() != key } + [MetadataEntry(key, value)]
    }
}

/// The information in a file name, in the form that players use: `movie.de.srt`, `movie.eng.forced.srt`. Pure.
struct AddedFileName: Sendable, Hashable {
    var language: String?
    var disposition: Disposition = []

    /// - Parameter source: The source, whose own words in the name are ignored.
    init(_ path: String, beside source: String) {
        let stem = FileName.split(FileName.directory(of: path).name).stem
        let movie = FileName.split(FileName.directory(of: source).name).stem
        let rest = stem.hasPrefix(movie) ? String(stem.dropFirst(movie.count)) : stem
        var words = rest.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
        while let word = words.popLast()?.lowercased() {
            if let mark = Self.marks[word] {
                disposition.insert(mark)
            } else {
                if LanguageCode.isKnown(word) { language = LanguageCode.long(word) }
                return
            }
        }
    }

    private static let marks: [String: Disposition] = [
        "default": .default, "forced": .forced, "sdh": .hearingImpaired, "cc": .hearingImpaired,
    ]
}
