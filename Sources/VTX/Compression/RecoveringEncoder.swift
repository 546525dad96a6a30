import VTXFFmpeg
import VTXMedia
import VTXSession

/// All that decides how an encoder is opened. Where it changes, another encoder is needed.
struct EncoderOpenOptions: Sendable, Hashable {
    var encoder: EncoderConfiguration
    var scaling: ScalingMode
    var hardware: HardwarePolicy
    var device: String?

    init(_ wanted: VideoEncoderConfiguration, codec: VideoCodec, color: ColorDescription, timeBase: Rational) {
        encoder = EncoderConfiguration(wanted, codec: codec, color: color, timeBase: timeBase)
        scaling = wanted.scalingMode
        hardware = wanted.hardware
        device = wanted.device
    }

    fileprivate var filter: FilterConfiguration {
        FilterConfiguration(
            size: encoder.size, pixelFormat: encoder.pixelFormat, color: encoder.color, scaling: scaling,
            isSquare: encoder.sampleAspectRatio.value == 1, deinterlacing: .never, orientation: .upright,
            frameRate: nil, sourceFrameRate: encoder.frameRate, timeBase: encoder.timeBase)
    }
}

/// An open encoder, with what brings pictures into its shape.
///
/// Unchecked: it belongs to one session's queue.
final class RecoveringEncoder: OpenCodec, @unchecked Sendable {
    let options: EncoderOpenOptions
    let place: SurfaceOrigin
    let capabilities: CapabilityMatrix
    private(set) var isProved = false
    private(set) var sentCount = 0
    private let device: any DeviceSession
    private let encoder: any VideoEncoder
    private let fitting: PixelTransfer
    private var description: (extradata: [UInt8], FormatDescription)?

    init(
        _ options: EncoderOpenOptions, on candidate: DeviceCandidate, of generation: SharedBackends.Generation,
        software: any DeviceSession
    ) throws(SessionError) {
        self.options = options
        place = SurfaceOrigin(generation: generation, device: candidate.matrix.device)
        capabilities = candidate.matrix
        device = try candidate.open()
        encoder = try device.makeEncoder(options.encoder)
        fitting = PixelTransfer(device: device, software: software, target: options.filter)
    }

    func send(_ request: EncodingRequest, at ticks: Int64) throws(SessionError) {
        let isHere = request.picture.place.map { $0.isSame(as: place) } ?? true
        let frame = try (isHere ? request.picture : request.picture.inMemory()).reference()
        let timeBase = options.encoder.timeBase
        frame.setTimes(
            pts: ticks, duration: request.duration?.rescaled(to: timeBase).ticks ?? 0, timeBase: timeBase)
        try encoder.send(try fitting.fit(frame), forcesKeyFrame: request.options.forcesKeyFrame)
        sentCount += 1
    }

    /// Nothing more is sent: what is held back comes out.
    func finish() throws(SessionError) { try encoder.send(nil, forcesKeyFrame: false) }

    /// The next packet; nil for none at present.
    func receive() throws(SessionError) -> Packet? {
        guard case .unit(let packet) = try encoder.receive() else { return nil }
        isProved = true
        return packet
    }

    /// Of the packets that have come out.
    func formatDescription() throws(SessionError) -> FormatDescription {
        let extradata = encoder.parameters.extradata
        if let description, description.extradata == extradata { return description.1 }
        let made = try FormatDescription(codec: options.encoder.codec, annexB: extradata.span.bytes)
            .declaring(frameRate: options.encoder.frameRate)
        description = (extradata, made)
        return made
    }

    /// Pictures that need no fitting.
    func makePool() throws(SessionError) -> PixelBufferPool {
        let samples = options.encoder.pixelFormat
        let format = [PixelFormat.nv12, .p010].first { $0.hasSamples(like: samples) } ?? samples
        guard capabilities.isHardware else { return try PixelBufferPool(size: options.encoder.size, format: samples) }
        return try PixelBufferPool(
            size: options.encoder.size, format: format, upload: (try device.makeUpload(), place))
    }
}
