import VTXBitstream
import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

/// libavcodec's `h264_vaapi`, `hevc_vaapi` or `av1_vaapi`, opened in the first mode that the driver supports.
///
/// Unchecked: one thread at a time calls it, as the protocol requires.
final class VAAPIEncoder: VideoEncoder, @unchecked Sendable {
    private let context: EncoderContext
    private let configuration: EncoderConfiguration
    private let upload: SurfaceUpload
    private let headers: any HeaderRewriter
    private var frameCheck: any CodedFrameCheck
    private let reportsStatus: Bool
    /// The maximum number of regions per frame.
    private let maxRegions: Int
    private(set) var parameters: CodecParameters
    /// Whether the parameter sets are known. They come from the first key frame, because drivers may change them.
    private var hasParameterSets = false
    let mode: EncodingMode?
    let compromises: [String]

    /// - Parameter failures: The modes to skip.
    init(
        _ configuration: EncoderConfiguration, _ device: OpenedDevice, after failures: [EncodingMode: String]
    ) throws(SessionError) {
        let opened = try OpenedEncoder.open(configuration, device, after: failures)
        context = opened.context
        mode = opened.candidate.mode
        compromises = opened.compromises
        parameters = opened.context.parameters
        upload = SurfaceUpload(to: device, formats: [opened.pixelFormat])
        if let codec = configuration.codec.nal {
            (headers, frameCheck) = (ParameterSetRewriter(configuration, codec), CodedSliceCheck(codec))
        } else {
            (headers, frameCheck) = (SequenceHeaderRewriter(configuration), TemporalUnitCheck())
        }
        reportsStatus = opened.candidate.quirks.reportsCodedStatus
        maxRegions = opened.candidate.maxRegions
        self.configuration = configuration
    }

    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        let regions = frame?.regions ?? []
        // libavcodec would only warn and ignore them.
        guard regions.count <= maxRegions else {
            throw SessionError(
                .propertyNotSupported, "the GPU's driver has \(maxRegions) regions per frame, not \(regions.count)")
        }
        let surface: Frame?
        if let frame { surface = try upload.surface(for: frame) } else { surface = nil }
        surface?.setPictureType(isForcedKey: forcesKeyFrame)
        // libavcodec's encoder writes the metadata of frames: set exactly what is planned.
        surface?.hdrMetadata = configuration.hdrMetadata
        do {
            try surface?.setRegions(regions)
            try context.send(surface)
        } catch { throw explain(error) }
        try checkStatus()
    }

    func receive() throws(SessionError) -> CodecOutput<Packet> {
        let output: CodecOutput<Packet>
        do { output = try context.receive() } catch { throw explain(error) }
        try checkStatus()
        guard case .unit(let packet) = output else { return output }
        return .unit(try completed(packet))
    }

    private func completed(_ packet: Packet) throws(SessionError) -> Packet {
        try frameCheck.check(packet)
        guard packet.isKeyFrame else { return packet }
        let completed = try headers.complete(Array(packet.bytes))
        do {
            if !hasParameterSets, !completed.parameterSets.isEmpty {
                parameters = try CodecParameters(parameters, extradata: completed.parameterSets)
                hasParameterSets = true
            }
            return try completed.bytes.map { bytes throws(FFmpegError) in try packet.replacing(bytes: bytes) } ?? packet
        } catch {
            throw explain(error)
        }
    }

    private func checkStatus() throws(SessionError) {
        let malfunctions = CodedBufferStatus(rawValue: context.takeCodedStatus()).malfunctions
        guard !reportsStatus || malfunctions.isEmpty else {
            throw SessionError(.hardwareMalfunction, "the GPU's driver reports a frame as unusable: \(malfunctions)")
        }
    }

    private func explain(_ error: FFmpegError) -> SessionError {
        SessionError(error, while: "encoding on the GPU", else: .hardwareMalfunction)
    }
}

extension VideoEncoderSettings {
    /// The number of frames in flight on the GPU. Intel measured a fifth more speed than with libavcodec's 2.
    private static let asyncDepth = 4

    /// libavcodec's name of the encoder.
    static func vaapiName(of codec: VideoCodec) -> String { "\(codec.rawValue)_vaapi" }

    /// Creates the settings for libavcodec's `h264_vaapi`, `hevc_vaapi` and `av1_vaapi`, as far as the driver's row
    /// supports them.
    init(_ configuration: EncoderConfiguration, _ candidate: EncodingModeCandidate, surfaces: SurfacePool?) {
        let (row, rate) = (candidate.row, candidate.rate)
        self.init(
            codecName: Self.vaapiName(of: configuration.codec), size: configuration.size,
            pixelFormat: configuration.pixelFormat, timeBase: configuration.timeBase,
            frameRate: configuration.frameRate, maxKeyFrameInterval: configuration.maxKeyFrameInterval,
            usesGlobalHeader: configuration.usesGlobalHeader)
        self.surfaces = surfaces
        sampleAspectRatio = configuration.sampleAspectRatio
        color = configuration.color
        let bFrameDepth = min(configuration.hardware.bFrameDepth ?? 1, configuration.maxReorderDepth ?? .max)
        maxBFrames = candidate.maxBFrames(configuration, depth: bFrameDepth)
        bitrate = rate.bitrate
        maxBitrate = rate.maxBitrate
        bufferSize = rate.maxBitrate.map { configuration.vbv?.bufferSize ?? $0 }
        initialBufferFullness = configuration.initialBufferFullness
        globalQuality = rate.quality
        compressionLevel = row.qualityLevels.map {
            candidate.quirks.qualityLevels.level(for: configuration.preset, of: $0)
        }
        options = Self.options(configuration, candidate, bFrameDepth: bFrameDepth)
    }

    private static func options(
        _ configuration: EncoderConfiguration, _ candidate: EncodingModeCandidate, bFrameDepth: Int
    ) -> [(String, String)] {
        let (row, rate) = (candidate.row, candidate.rate)
        var options = [
            ("rc_mode", rate.mode.rawValue), ("low_power", row.entrypoint == .encSliceLP ? "1" : "0"),
            // Every key frame is an IDR picture, where the stream can be cut.
            ("idr_interval", "0"),
            ("profile", profile(configuration.profile)),
            ("async_depth", "\(configuration.isRealTime ? 1 : configuration.hardware.asyncDepth ?? asyncDepth)"),
        ]
        if let messages = messages(of: configuration.codec) { options.append(("sei", messages)) }
        if let level = configuration.level { options.append(("level", "\(level)")) }
        if bFrameDepth > 1 { options.append(("b_depth", "\(bFrameDepth)")) }
        if configuration.profile == .baseline || configuration.entropyMode == .cavlc {
            options.append(("coder", "cavlc"))
        }
        return options
    }

    /// Excludes captions: libavcodec 5.1 does not write them, and later versions fail for many ("Access unit too
    /// large").
    private static func messages(of codec: VideoCodec) -> String? {
        switch codec {
        case .h264: "identifier+timing+recovery_point"
        case .hevc: "hdr"
        case .av1: nil
        }
    }

    private static func profile(_ profile: VideoProfile) -> String {
        profile == .baseline ? "constrained_baseline" : profile.name
    }

    /// The same settings as arguments of the `ffmpeg` command.
    var ffmpegArguments: [String] {
        var arguments = ["-c:v", codecName]
        if let bitrate { arguments += ["-b:v", "\(bitrate)"] }
        if let maxBitrate { arguments += ["-maxrate", "\(maxBitrate)"] }
        if let bufferSize { arguments += ["-bufsize", "\(bufferSize)"] }
        if let globalQuality { arguments += ["-global_quality", "\(globalQuality)"] }
        if let compressionLevel { arguments += ["-compression_level", "\(compressionLevel)"] }
        arguments += ["-g", "\(maxKeyFrameInterval)"]
        if let maxBFrames { arguments += ["-bf", "\(maxBFrames)"] }
        return arguments + options.flatMap { ["-\($0.0)", $0.1] }
    }
}
