import VTXFFmpeg
import VTXMedia
import VTXTask

/// Tests custom filters on a few black frames: whether libavfilter accepts them, and their output format.
///
/// Filters without output for these frames, such as `trim=start=5`, are taken to keep the colors; libavfilter knows the
/// rest of the format without a frame.
enum FilterTrial {
    /// The number of frames after which filters without output get the end of the stream.
    private static let frameCount = 32

    /// - Returns: nil if there are no custom filters.
    static func run(
        _ request: TranscodeRequest, _ source: Source, _ rotation: RotationChoice, _ color: ColorDescription,
        _ notes: inout PlanNotes
    ) throws(TranscodeError) -> CustomFilters? {
        guard let text = request.filters else { return nil }
        var shape = source.sample.shape
        (shape.size, shape.sampleAspectRatio, shape.color) = (rotation.size, rotation.sampleAspectRatio, color)
        let pictures = PictureRate.of(source, request)
        let rate = pictures.rate
        let (result, errors) = LibraryLog.collecting {
            Result { () throws(FFmpegError) in try run(text, shape, rate, pictures.timeBase) }
        }
        switch result {
        case .success(let filters):
            notes.decide("filters", text, because: "requested; \(change(shape, rate, filters))")
            return filters
        case .failure(let error):
            let words = errors.isEmpty ? "\(error)" : errors.joined(separator: "; ")
            throw TranscodeError(.filter, "\(option: .filter, text): \(words)")
                .caused(by: "\(error)")
        }
    }

    private static func run(
        _ text: String, _ shape: FrameFormat, _ rate: Rational, _ timeBase: Rational
    ) throws(FFmpegError) -> CustomFilters {
        let black = try frame(like: shape)
        black.setTimes(pts: 0, duration: 0, timeBase: timeBase)
        let graph = try FilterGraph(videoLike: black, frameRate: rate, chain: text)
        var output = shape
        (output.size, output.pixelFormat) = (graph.size, graph.pixelFormat)
        output.sampleAspectRatio = graph.sampleAspectRatio
        if let frame = try firstOutput(of: graph, for: black, rate, timeBase) {
            frame.normalizeFullRangeFormat()
            output = FrameFormat(frame)
        }
        if output.color.matrix == shape.color.matrix {
            output.color.matrix = convertedMatrix(text) ?? output.color.matrix
        }
        return CustomFilters(
            text: text, output: output, timeBase: graph.timeBase,
            frameRate: graph.frameRate.isPositive ? graph.frameRate : rate)
    }

    /// Returns the matrix to which `scale` converts samples. Before FFmpeg 7 it leaves the old one on the frames.
    private static func convertedMatrix(_ text: String) -> Int? {
        let matrices = ["bt709": 1, "bt470": 5, "bt601": 6, "smpte170m": 6, "smpte240m": 7, "bt2020": 9]
        let options = text.split(whereSeparator: { ":,;[]=".contains($0) })
        guard let index = options.lastIndex(of: "out_color_matrix"), index + 1 < options.count else { return nil }
        return matrices[String(options[index + 1])]
    }

    /// - Returns: nil if no frame comes out.
    private static func firstOutput(
        of graph: FilterGraph, for black: Frame, _ rate: Rational, _ timeBase: Rational
    ) throws(FFmpegError) -> Frame? {
        for number in 0...frameCount {
            if case .unit(let frame) = try graph.receive() { return frame }
            let next = try black.reference()
            next.pts = MediaTime.rescale(Int64(number), from: rate.reciprocal, to: timeBase)
            try graph.send(number == frameCount ? nil : next)
        }
        if case .unit(let frame) = try graph.receive() { return frame }
        return nil
    }

    private static func frame(like shape: FrameFormat) throws(FFmpegError) -> Frame {
        let graph = try FilterGraph(generating: "color=size=\(shape.size),format=\(shape.pixelFormat)")
        guard case .unit(let frame) = try graph.receive() else { throw FFmpegError("av_buffersink_get_frame", -1) }
        (frame.color, frame.sampleAspectRatio) = (shape.color, shape.sampleAspectRatio)
        return frame
    }

    /// Returns the difference between input and output.
    private static func change(_ shape: FrameFormat, _ rate: Rational, _ filters: CustomFilters) -> Message {
        let output = filters.output
        let changes: [Message] = [
            output.size == shape.size ? nil : "\(output.size)" as Message,
            output.pixelFormat == shape.pixelFormat ? nil : "\(output.pixelFormat)" as Message,
            filters.frameRate == rate ? nil : "\(filters.frameRate) frames a second" as Message,
        ].compactMap(\.self)
        guard let first = changes.first else { return "they keep the size, pixel format and frame rate" }
        return changes.dropFirst().reduce("they output \(first)") { "\($0), \($1)" }
    }
}
