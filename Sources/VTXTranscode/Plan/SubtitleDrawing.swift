import VTXFFmpeg
import VTXMedia
import VTXTask

/// Subtitles that are burned in (libavfilter: `subtitles`, which is libass).
struct SubtitleDrawing {
    let name: String
    /// The stream's index in the source; nil if they are in another file.
    let streamIndex: Int?
    /// The index among the file's subtitle streams.
    private let position: Int
    private let path: String
    /// What the source's times begin at where its subtitles count from zero, in seconds.
    private let origin: Double
    private let color: ColorDescription

    /// - Returns: nil if none is requested.
    /// - Throws: `subtitle.selection`, `subtitle.codec`.
    static func choose(_ request: TranscodeRequest, _ source: Source) throws(TranscodeError) -> SubtitleDrawing? {
        switch request.drawnSubtitles {
        case .stream(let key): try choose(key, of: source)
        case .file(let path): try choose(path, beside: source)
        case nil: nil
        }
    }

    private static func choose(_ key: StreamKey, of source: Source) throws(TranscodeError) -> SubtitleDrawing {
        let streams = source.demuxer.streams.filter { $0.kind == .subtitle }
        let found = streams.indices.first { key.names(position: $0, language: streams[$0].language) }
        guard let found else {
            throw TranscodeError(
                .subtitleSelection,
                "no subtitle stream in \(source.name) is \(key); it has \(streams.isEmpty ? "none" : "\(streams.count)")"
            )
        }
        let stream = streams[found]
        guard stream.canBeDrawn else {
            throw TranscodeError(
                .subtitleCodec, "\(stream.label) cannot be burned in: it is not text",
                hint: "\(option: .subtitleStreams) keeps it as a stream"
            ).at(stream: stream.index)
        }
        return SubtitleDrawing(
            name: stream.label, streamIndex: stream.index, position: found, path: source.path, origin: 0,
            color: source.shownColor)
    }

    private static func choose(_ path: String, beside source: Source) throws(TranscodeError) -> SubtitleDrawing {
        let added = try AddedStream.open(
            AddedFile(path), .subtitle, as: source.demuxer.streams.count, beside: source.path)
        guard added.stream.canBeDrawn else {
            throw TranscodeError(.subtitleCodec, "'\(path)' cannot be burned in: it is not text")
        }
        return SubtitleDrawing(
            name: "'\(path)'", streamIndex: nil, position: 0, path: path,
            origin: source.demuxer.startTime?.seconds ?? 0, color: source.shownColor)
    }

    static let bitmaps: Set = ["hdmv_pgs_subtitle", "dvd_subtitle", "dvb_subtitle", "xsub", "dvb_teletext"]

    /// - Parameters:
    ///   - shape: The format of the frames.
    ///   - offset: The offset subtracted from the source's timestamps, by which the filter finds its cues.
    private func filter(_ shape: FrameFormat, offset: Double) -> String {
        let offset = offset - origin
        // The filter opens the file by itself.
        let file = FilterGraph.escaped("file:" + path)
        let style = whiteLevel.map { ":force_style=PrimaryColour=&H00\($0)\($0)\($0)" } ?? ""
        let draw = "subtitles=filename=\(file):si=\(position)\(Self.shownSize(of: shape))\(style)"
        guard offset != 0 else { return draw }
        // A tick less would show a cue a frame later.
        return "setpts=PTS+round((\(offset))/TB),\(draw),setpts=PTS-round((\(offset))/TB)"
    }

    /// Returns the display size, so that letters keep their shape if samples are not square, as on DVDs.
    private static func shownSize(of shape: FrameFormat) -> String {
        let aspect = shape.sampleAspectRatio
        guard aspect.isPositive, aspect.value != 1 else { return "" }
        let width = Int((Double(shape.size.width) * aspect.value).rounded())
        return ":original_size=\(width)x\(shape.size.height)"
    }

    /// The level of text in HDR: reference white, 58% of the signal in PQ and 75% in HLG (BT.2408, 203 cd/m2). nil for
    /// SDR, where it is the maximum.
    private var whiteLevel: String? {
        if color.isPQ { return "94" }
        return color.isHLG ? "BF" : nil
    }
}

extension SubtitleDrawing {
    /// Returns custom filters with this one at the end, so that they do not hide the subtitles.
    ///
    /// - Parameters:
    ///   - shape: The format of the frames.
    ///   - rate: Their frame rate.
    func following(
        _ filters: CustomFilters?, _ shape: FrameFormat, timeBase: Rational, rate: Rational, offset: Double
    ) -> CustomFilters {
        let drawing = filter(filters?.output ?? shape, offset: offset)
        let text = [filters?.text, drawing].compactMap(\.self).joined(separator: ",")
        guard var all = filters else {
            return CustomFilters(text: text, output: shape, timeBase: timeBase, frameRate: rate)
        }
        all.text = text
        return all
    }
}

extension InputStream {
    fileprivate var canBeDrawn: Bool { !SubtitleDrawing.bitmaps.contains(self.codecName) && parameters.hasDecoder }
}

extension Source {
    /// Of its pictures, which tell it better than the container.
    fileprivate var shownColor: ColorDescription { sample.shape.color.filled(from: video.color) }
}

extension TranscodeRequest {
    /// Whether filters work on frames in display orientation.
    var hasCustomFilters: Bool { filters != nil || drawnSubtitles != nil }
}
