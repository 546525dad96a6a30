import VTXFFmpeg
import VTXMedia
import VTXTask

/// Subtitles that are burned in: text by libavfilter's `subtitles`, which is libass; bitmaps by its `overlay`.
struct SubtitleDrawing {
    let name: String
    /// The stream's index in the source; nil if they are in another file.
    let streamIndex: Int?
    /// The index among the file's subtitle streams.
    private let position: Int
    /// The index among all of the file's streams.
    private let index: Int
    private let codecName: String
    private let path: String
    /// What the source's times begin at where its subtitles count from zero, in seconds.
    private let origin: Double
    private let color: ColorDescription
    /// The level of white, from 0 to 1.
    private let whiteLevel: Double

    /// - Returns: nil if none is requested.
    /// - Throws: `subtitle.selection`, `subtitle.codec`.
    static func choose(_ request: TranscodeRequest, _ source: Source) throws(TranscodeError) -> SubtitleDrawing? {
        switch request.drawnSubtitles {
        case .stream(let key): try choose(key, request, of: source)
        case .file(let path): try choose(path, request, beside: source)
        case nil: nil
        }
    }

    private static func choose(
        _ key: StreamKey, _ request: TranscodeRequest, of source: Source
    ) throws(TranscodeError) -> SubtitleDrawing {
        let streams = source.demuxer.streams.filter { $0.kind == .subtitle }
        let found = streams.indices.first { key.names(position: $0, language: streams[$0].language) }
        guard let found else {
            throw TranscodeError(
                .subtitleSelection,
                "no subtitle stream in \(source.name) is \(key); it has \(streams.positions)"
            )
        }
        let stream = streams[found]
        guard stream.canBeDrawn else {
            throw TranscodeError(
                .subtitleCodec, "\(stream.label) cannot be burned in: \(stream.codecName) is neither text nor bitmaps",
                hint: "\(option: .subtitleStreams) keeps it as a stream"
            ).at(stream: stream.index)
        }
        return SubtitleDrawing(
            name: stream.label, streamIndex: stream.index, position: found, index: stream.index,
            codecName: stream.codecName, path: source.path, origin: 0, color: source.shownColor,
            whiteLevel: whiteLevel(of: source, request))
    }

    private static func choose(
        _ path: String, _ request: TranscodeRequest, beside source: Source
    ) throws(TranscodeError) -> SubtitleDrawing {
        let added = try AddedStream.open(
            AddedFile(path), .subtitle, as: source.demuxer.streams.count, beside: source.path)
        guard added.stream.canBeDrawn else {
            throw TranscodeError(
                .subtitleCodec,
                "'\(path)' cannot be burned in: \(added.stream.codecName) is neither text nor bitmaps")
        }
        // The filter opens the file by itself.
        guard added.isReadWhole else {
            throw TranscodeError(
                .subtitleCodec,
                "'\(path)' cannot be burned in: this version of FFmpeg reads no cues after its styles or regions",
                hint: "remove its STYLE and REGION blocks")
        }
        return SubtitleDrawing(
            name: "'\(path)'", streamIndex: nil, position: 0, index: added.index, codecName: added.stream.codecName,
            path: path, origin: source.demuxer.startTime?.seconds ?? 0, color: source.shownColor,
            whiteLevel: whiteLevel(of: source, request))
    }

    static let bitmaps: Set = ["hdmv_pgs_subtitle", "dvd_subtitle", "dvb_subtitle", "xsub", "dvb_teletext"]

    private var isText: Bool { !Self.bitmaps.contains(codecName) }

    /// - Parameters:
    ///   - shape: The format of the frames.
    ///   - offset: The offset subtracted from the source's timestamps, by which the filter finds its cues.
    private func filter(_ shape: FrameFormat, offset: Double) -> String {
        let offset = offset - origin
        // The filter opens the file by itself.
        let file = FilterGraph.escaped("file:" + path)
        let draw = "subtitles=filename=\(file):si=\(position)\(Self.shownSize(of: shape))"
        let canOverlay = shape.pixelFormat.overlayFormat != nil
        // The filter draws white at the level of limited range.
        let isLimited = shape.color.isFullRange != true || shape.pixelFormat.isRGB
        if whiteLevel == 1, isLimited || !canOverlay { return moved(draw, by: offset) }
        if canOverlay { return overlaid(moved(draw + ":alpha=1", by: offset), on: shape) }
        // Where nothing can be overlaid, all text is white.
        let white = String(Int((whiteLevel * 255).rounded()), radix: 16, uppercase: true)
        return moved(draw + ":force_style=PrimaryColour=&H00\(white)\(white)\(white)", by: offset)
    }

    private func moved(_ draw: String, by offset: Double) -> String {
        guard offset != 0 else { return draw }
        // A tick less would show a cue a frame later.
        return "setpts=PTS+round((\(offset))/TB),\(draw),setpts=PTS-round((\(offset))/TB)"
    }

    /// Draws on transparent frames, so that all colors can be dimmed to the level of reference white.
    private func overlaid(_ draw: String, on shape: FrameFormat) -> String {
        let shown = color.isHDR ? color : shape.color.filled(from: .presumed(of: shape.size))
        let matrix = shown.matrix == 1 ? "bt709" : shown.isHDR || shown.matrix == 9 ? "bt2020" : "smpte170m"
        let conversion = shape.overlayConversion
        let (before, after) = conversion.map { ("\($0.filter),format=\($0.planar),", ",\($0.filter)") } ?? ("", "")
        return """
            \(before)split[main][under];[under]format=rgba,lutrgb=r=0:g=0:b=0:a=0,\(draw),format=gbrap,unpremultiply=inplace=1,\
            \(BitmapSubtitles.dimming(to: whiteLevel)),\
            scale=out_color_matrix=\(matrix):out_range=\(shape.overlayRange)[text];\
            [main][text]overlay=format=\(shape.pixelFormat.overlayFormat ?? "auto")\(after),format=\(shape.pixelFormat)
            """
    }

    /// Returns the display size, so that letters keep their shape if samples are not square, as on DVDs.
    private static func shownSize(of shape: FrameFormat) -> String {
        let aspect = shape.sampleAspectRatio
        guard aspect.isPositive, aspect.value != 1 else { return "" }
        let width = Int((Double(shape.size.width) * aspect.value).rounded())
        return ":original_size=\(width)x\(shape.size.height)"
    }

    /// Returns the level of white: in HDR reference white, 58% of the signal in PQ and 75% in HLG (BT.2408, 203 cd/m2),
    /// but if it is mapped to SDR afterwards, the peak, which becomes SDR's white. In SDR it is 1.
    private static func whiteLevel(of source: Source, _ request: TranscodeRequest) -> Double {
        let color = source.shownColor
        guard color.isHDR else { return 1 }
        guard request.dynamicRange == .sdr else { return color.isPQ ? 0.58 : 0.75 }
        return ToneMapping(source: color, metadata: source.shownHDRMetadata).peakSignal
    }

    private func bitmaps(at placement: SubtitlePlacement, offset: MediaTime) -> BitmapSubtitles {
        BitmapSubtitles(
            path: path, streamIndex: index, offset: MediaTime(seconds: offset.seconds - origin),
            whiteLevel: whiteLevel, placement: placement)
    }

    /// Where bitmaps lie on frames of this orientation, of which `asked` is not the source's.
    private func placement(
        on rotation: RotationChoice, asked: DisplayMatrix.Orientation, of size: PixelSize
    ) -> SubtitlePlacement {
        let kept = rotation.crop?.region ?? PixelRegion(size: size)
        let picture = rotation.orientation.isTransposed ? size.transposed : size
        let aspect = Self.value(rotation.sampleAspectRatio)
        let isOnSide = asked.isTransposed
        return SubtitlePlacement(
            picture: picture, shown: kept.rotated(by: rotation.orientation, in: size), aspectRatio: aspect,
            original: SubtitlePlacement.Canvas(
                size: isOnSide ? picture.transposed : picture, aspectRatio: isOnSide ? 1 / aspect : aspect,
                isSquare: codecName == "hdmv_pgs_subtitle"))
    }

    private static func value(_ aspect: Rational) -> Double { aspect.isPositive ? aspect.value : 1 }
}

extension SubtitleDrawing {
    /// Returns custom filters with the subtitles after them, so that the filters do not hide the subtitles.
    ///
    /// - Parameters:
    ///   - filters: The user's; without text if there are none.
    ///   - asked: The requested part of the rotation.
    ///   - size: The size of the source's frames.
    ///   - offset: The offset subtracted from the source's timestamps.
    /// - Throws: `subtitle.codec` for samples that cannot be overlaid.
    func following(
        _ filters: CustomFilters, _ rotation: RotationChoice, asked: DisplayMatrix.Orientation, of size: PixelSize,
        offset: MediaTime
    ) throws(TranscodeError) -> CustomFilters {
        var all = filters
        if isText {
            let drawing = filter(filters.output, offset: offset.seconds)
            all.text = filters.text.isEmpty ? drawing : "\(filters.text),\(drawing)"
            all.subtitleFile = streamIndex == nil ? path : nil
            return all
        }
        guard filters.output.pixelFormat.overlayFormat != nil else {
            throw TranscodeError(
                .subtitleCodec,
                "\(name) cannot be burned into \(filters.output.pixelFormat): bitmaps go on 8 bits, and on 10 bits in 4:2:0 and 4:2:2",
                hint: "\(option: .filter, "format=yuv420p10") converts the video first")
        }
        var placement = placement(on: rotation, asked: asked, of: size)
        if !filters.text.isEmpty {
            // Of what filters do only the size is known.
            (placement.picture, placement.shown) = (filters.output.size, PixelRegion(size: filters.output.size))
            placement.aspectRatio = Self.value(filters.output.sampleAspectRatio)
        }
        all.subtitles = bitmaps(at: placement, offset: offset)
        return all
    }
}

extension InputStream {
    var isBitmapSubtitle: Bool { SubtitleDrawing.bitmaps.contains(self.codecName) }
    var canBeDrawn: Bool { self.codecName != "dvb_teletext" && parameters.hasDecoder }
}

extension Source {
    /// Of its pictures, which tell it better than the container.
    var shownColor: ColorDescription { sample.shape.color.filled(from: video.color) }
    var shownHDRMetadata: HDRMetadata { sample.hdrMetadata.filled(from: video.hdrMetadata) }
}

extension TranscodeRequest {
    /// Whether filters work on frames in display orientation.
    var hasCustomFilters: Bool { filters != nil || drawnSubtitles != nil }
}
