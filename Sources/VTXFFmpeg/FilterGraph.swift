import CFFmpeg
import CVTXShims
package import VTXMedia

/// A graph of libavfilter's filters with one or more inputs and one output.
///
/// Protocol: receive until `.needsInput` before the next `send`. Unchecked: one thread at a time calls it.
package final class FilterGraph: @unchecked Sendable {
    private let library: vtx_filter_library
    private let graph: UnsafeMutablePointer<AVFilterGraph>
    private let sources: [UnsafeMutablePointer<AVFilterContext>]
    private let sink: UnsafeMutablePointer<AVFilterContext>

    private struct Input {
        var filter: String
        var arguments: String
        /// The frame that defines color and surfaces.
        var first: Frame?
    }

    private init(_ inputs: [Input], sink sinkName: String, chain: String, threads: Int) throws(FFmpegError) {
        let library = try FilterLibrary.functions()
        let graph = try require(library.avfilter_graph_alloc(), "avfilter_graph_alloc")
        do {
            graph.pointee.nb_threads = Int32(threads)
            var sources: [UnsafeMutablePointer<AVFilterContext>] = []
            for (number, input) in inputs.enumerated() {
                let source = try library.add(input.filter, as: "in\(number)", input.arguments, to: graph)
                try input.first.map { first throws(FFmpegError) in try library.setParameters(of: source, like: first) }
                sources.append(source)
            }
            self.sources = sources
            sink = try library.add(sinkName, as: "out", nil, to: graph)
            try library.parse(chain, from: sources, to: sink, of: graph)
            try check(library.avfilter_graph_config(graph, nil), "avfilter_graph_config")
        } catch {
            library.free(graph)
            throw error
        }
        self.library = library
        self.graph = graph
    }

    deinit { library.free(graph) }

    /// Creates a graph for video frames like `first`.
    ///
    /// - Parameters:
    ///   - chain: libavfilter's notation, without labels: `bwdif,scale=640:360,format=yuv420p`.
    ///   - threads: 0 lets libavfilter choose by the number of cores.
    package convenience init(
        videoLike first: Frame, frameRate: Rational, chain: String, threads: Int = 0
    ) throws(FFmpegError) {
        try self.init([Self.input(like: first, frameRate)], sink: "buffersink", chain: chain, threads: threads)
    }

    /// Creates a graph with an input for frames like each of `firsts`, labeled `[in0]`, `[in1]` and so on in the chain.
    package convenience init(videoLike firsts: [Frame], chain: String) throws(FFmpegError) {
        let inputs = firsts.map { Self.input(like: $0, Rational(0, 1)) }
        try self.init(inputs, sink: "buffersink", chain: chain, threads: 0)
    }

    private static func input(like first: Frame, _ frameRate: Rational) -> Input {
        let size = first.size
        let aspect = first.sampleAspectRatio.isPositive ? first.sampleAspectRatio : Rational(0, 1)
        let arguments =
            "video_size=\(size):pix_fmt=\(first.pointer.pointee.format)"
            + ":time_base=\(first.timeBase.numerator)/\(first.timeBase.denominator)"
            + ":pixel_aspect=\(aspect.numerator)/\(aspect.denominator)"
            + (frameRate.isPositive ? ":frame_rate=\(frameRate.numerator)/\(frameRate.denominator)" : "")
        return Input(filter: "buffer", arguments: arguments, first: first)
    }

    /// Creates a graph for audio frames like `first`.
    ///
    /// - Parameter samplesPerFrame: The frame size that the encoder requires; 0 for any.
    package convenience init(audioLike first: Frame, chain: String, samplesPerFrame: Int) throws(FFmpegError) {
        var layout = [CChar](repeating: 0, count: 128)
        if first.pointer.pointee.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC {
            av_channel_layout_default(
                &first.pointer.pointee.ch_layout, first.pointer.pointee.ch_layout.nb_channels)
        }
        av_channel_layout_describe(&first.pointer.pointee.ch_layout, &layout, layout.count)
        let format = String(optional: av_get_sample_fmt_name(AVSampleFormat(first.pointer.pointee.format))) ?? "none"
        let arguments =
            "time_base=\(first.timeBase.numerator)/\(first.timeBase.denominator)"
            + ":sample_rate=\(first.sampleRate):sample_fmt=\(format)"
            + ":channel_layout=\(String(nullTerminated: layout))"
        let input = Input(filter: "abuffer", arguments: arguments)
        try self.init([input], sink: "abuffersink", chain: chain, threads: 1)
        if samplesPerFrame > 0 { library.av_buffersink_set_frame_size(sink, UInt32(samplesPerFrame)) }
    }

    /// Creates a graph that generates its frames, for self-tests and tests: `testsrc2=size=320x240:rate=25:duration=2`.
    package convenience init(generating chain: String, isAudio: Bool = false) throws(FFmpegError) {
        try self.init([], sink: isAudio ? "abuffersink" : "buffersink", chain: chain, threads: 1)
    }

    /// The time base of the output frames.
    package var timeBase: Rational { Rational(library.av_buffersink_get_time_base(sink)) }

    /// The frame rate of the output, if known and constant (C: `av_buffersink_get_frame_rate`); otherwise 0/1.
    package var frameRate: Rational { Rational(library.av_buffersink_get_frame_rate(sink)) }

    /// The size of the output's frames, which libavfilter knows before the first of them.
    package var size: PixelSize {
        PixelSize(Int(library.av_buffersink_get_w(sink)), Int(library.av_buffersink_get_h(sink)))
    }

    /// The pixel format of the output's frames.
    package var pixelFormat: PixelFormat { PixelFormat(AVPixelFormat(library.av_buffersink_get_format(sink))) }

    /// The sample aspect ratio of the output's frames; 0/1 if unknown.
    package var sampleAspectRatio: Rational { Rational(library.av_buffersink_get_sample_aspect_ratio(sink)) }

    /// - Parameters:
    ///   - frame: The frame, whose reference the graph takes over; nil at the end of the stream.
    ///   - input: The index of the input.
    package func send(_ frame: Frame?, to input: Int = 0) throws(FFmpegError) {
        guard sources.indices.contains(input) else { return }
        try check(library.av_buffersrc_add_frame_flags(sources[input], frame?.pointer, 0), "av_buffersrc_add_frame")
    }

    /// Ends the input. The last frame is displayed until `time`, in ticks of the input's time base.
    package func end(at time: Int64?) throws(FFmpegError) {
        guard let source = sources.first, let time else { return try send(nil) }
        try check(library.av_buffersrc_close(source, time, 0), "av_buffersrc_close")
    }

    package func receive() throws(FFmpegError) -> CodecOutput<Frame> {
        let frame = try Frame(timeBase: timeBase)
        switch library.av_buffersink_get_frame(sink, frame.pointer) {
        case vtx_error_again: return .needsInput
        case vtx_error_end_of_file: return .endOfStream
        case let status: try check(status, "av_buffersink_get_frame")
        }
        return .unit(frame)
    }
}

extension FilterGraph {
    /// Escapes an option's value twice: for the filter's options and for the chain (ffmpeg-filters, "Notes on
    /// filtergraph escaping").
    package static func escaped(_ value: String) -> String { escaped(escaped(value, "\\':"), "\\'[],;") }

    private static func escaped(_ text: String, _ special: String) -> String {
        text.map { special.contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
}

extension vtx_filter_library {
    fileprivate func free(_ graph: UnsafeMutablePointer<AVFilterGraph>) {
        var graph: UnsafeMutablePointer<AVFilterGraph>? = graph
        avfilter_graph_free(&graph)
    }

    fileprivate func add(
        _ name: String, as instance: String, _ arguments: String?, to graph: UnsafeMutablePointer<AVFilterGraph>
    ) throws(FFmpegError) -> UnsafeMutablePointer<AVFilterContext> {
        var created: UnsafeMutablePointer<AVFilterContext>?
        try check(
            avfilter_graph_create_filter(&created, avfilter_get_by_name(name), instance, arguments, nil, graph),
            "avfilter_graph_create_filter")
        return try require(created, "avfilter_graph_create_filter")
    }

    /// Inserts the chain between the inputs and the output.
    fileprivate func parse(
        _ chain: String, from sources: [UnsafeMutablePointer<AVFilterContext>],
        to sink: UnsafeMutablePointer<AVFilterContext>, of graph: UnsafeMutablePointer<AVFilterGraph>
    ) throws(FFmpegError) {
        var outputs: UnsafeMutablePointer<AVFilterInOut>?
        var inputs = avfilter_inout_alloc()
        defer {
            avfilter_inout_free(&outputs)
            avfilter_inout_free(&inputs)
        }
        for (number, source) in sources.enumerated().reversed() {
            guard let end = avfilter_inout_alloc() else { continue }
            end.pointee.name = av_strdup("in\(number)")
            end.pointee.filter_ctx = source
            end.pointee.next = outputs
            outputs = end
        }
        inputs?.pointee.name = av_strdup("out")
        inputs?.pointee.filter_ctx = sink
        // Several inputs have their labels in the chain.
        let text = (sources.count == 1 ? "[in0]" : "") + chain + "[out]"
        try check(avfilter_graph_parse_ptr(graph, text, &inputs, &outputs, nil), "avfilter_graph_parse_ptr")
    }

    fileprivate func setParameters(
        of source: UnsafeMutablePointer<AVFilterContext>, like first: Frame
    ) throws(FFmpegError) {
        guard let parameters = av_buffersrc_parameters_alloc() else { return }
        defer { av_free(parameters) }
        vtx_buffersrc_set_color(
            parameters, Int32(first.pointer.pointee.colorspace.rawValue),
            Int32(first.pointer.pointee.color_range.rawValue))
        // Frames on surfaces need their pool; the graph retains it.
        parameters.pointee.hw_frames_ctx = first.pointer.pointee.hw_frames_ctx
        try check(av_buffersrc_parameters_set(source, parameters), "av_buffersrc_parameters_set")
    }
}

/// libavfilter, which is loaded at its first use.
enum FilterLibrary {
    /// - Throws: `AVERROR_FILTER_NOT_FOUND` if the library is not installed.
    static func functions() throws(FFmpegError) -> vtx_filter_library {
        guard let library = vtx_filter_library() else { throw FFmpegError("dlopen", vtx_error_filter_not_found) }
        return library.pointee
    }

    /// Its version (C: `AV_VERSION_INT`); nil if the library is not installed.
    static var version: UInt32? { vtx_filter_library()?.pointee.avfilter_version() }

    static func has(_ filter: String) -> Bool { vtx_filter_library()?.pointee.avfilter_get_by_name(filter) != nil }
}
