import VTXFFmpeg
import VTXMedia
import VTXSession

/// The options for opening an encoder. If they change, another encoder is needed.
struct EncoderOpenOptions: Sendable, Hashable {
    var encoder: EncoderConfiguration
    /// The size of frames that are encoded without scaling, but possibly without a last column or row.
    var pictureSize: PixelSize
    var scaling: ScalingMode
    var orientation = DisplayMatrix.Orientation.upright
    var toneMapping: ToneMapping?
    var hardware: HardwarePolicy
    var device: String?

    init(_ wanted: VideoEncoderConfiguration, codec: VideoCodec, color: ColorDescription, timeBase: Rational) {
        encoder = EncoderConfiguration(wanted, codec: codec, color: color, timeBase: timeBase)
        pictureSize = wanted.size
        scaling = wanted.scalingMode
        hardware = wanted.hardware
        device = wanted.device
    }

    /// Whether only the rate differs, which may change in mid-stream.
    func isSame(butForRateOf other: EncoderOpenOptions) -> Bool {
        var options = self
        options.encoder.rateControl = other.encoder.rateControl
        options.encoder.dataRateLimits = other.encoder.dataRateLimits
        options.encoder.frameRate = other.encoder.frameRate
        options.encoder.maxKeyFrameInterval = other.encoder.maxKeyFrameInterval
        return options == other
    }

    /// Returns the options of an encoder that takes over in mid-stream.
    func keeping(to needs: CodecNeeds) -> EncoderOpenOptions {
        var options = self
        options.encoder = encoder.keeping(to: needs)
        return options
    }

    fileprivate var filter: FilterConfiguration {
        var filter = FilterConfiguration(
            size: encoder.size, pixelFormat: encoder.pixelFormat, color: encoder.color, scaling: scaling,
            isSquare: encoder.sampleAspectRatio.value == 1, deinterlacing: .never, orientation: orientation,
            frameRate: nil, sourceFrameRate: encoder.frameRate, timeBase: encoder.timeBase)
        filter.toneMapping = toneMapping
        return filter
    }
}

/// An encoder with a filter that converts frames to its size and format.
///
/// Unchecked: it is confined to the queue of one session.
final class FittingEncoder: VideoEncoder, @unchecked Sendable {
    let place: SurfaceOrigin
    let capabilities: CapabilityMatrix
    private let options: EncoderOpenOptions
    private let device: any DeviceSession
    private let encoder: any VideoEncoder
    private let fitting: PixelTransfer
    private let importing: DMABufImport
    /// The time up to which surfaces belong to the previous device.
    private let lastForeign: Int64?

    init(
        _ options: EncoderOpenOptions, on candidate: DeviceCandidate, of generation: SharedBackends.Generation,
        software: any DeviceSession, after lastForeign: Int64?
    ) throws(SessionError) {
        self.options = options
        self.lastForeign = lastForeign
        place = SurfaceOrigin(generation: generation, device: candidate.matrix.device)
        capabilities = candidate.matrix
        device = try candidate.open()
        encoder = try device.makeEncoder(options.encoder)
        fitting = PixelTransfer(device: device, software: software, target: options.filter)
        importing = DMABufImport(to: device, for: options.encoder.pixelFormat)
    }

    var parameters: CodecParameters { encoder.parameters }
    var compromises: [String] { encoder.compromises }
    var mode: EncodingMode? { encoder.mode }

    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        guard let frame else { return try encoder.send(nil, forcesKeyFrame: false) }
        let regions = frame.regions.isEmpty ? idleRegions : frame.regions
        let fitted = try fitting.fit(try even(try own(frame)))
        do { try fitted.setRegions(regions) } catch {
            throw SessionError(error, while: "marking regions", else: .allocationFailed)
        }
        try encoder.send(fitted, forcesKeyFrame: forcesKeyFrame)
    }

    func receive() throws(SessionError) -> CodecOutput<Packet> { try encoder.receive() }
    func changeRate(to configuration: EncoderConfiguration) -> Bool { encoder.changeRate(to: configuration) }

    /// x265 (3.5) crashes if some frames have regions and others none, because it reuses their buffers. So each frame
    /// has one, which changes nothing.
    private var idleRegions: [RegionOfInterest] {
        let isX265 = !capabilities.isHardware && options.encoder.codec == .hevc
        return isX265 ? [.whole(options.encoder.size, qpOffset: 0)] : []
    }

    private func own(_ frame: Frame) throws(SessionError) -> Frame {
        if frame.dmaBuf != nil { return try importing.take(frame) }
        guard frame.isOnSurface, let pts = frame.pts, let lastForeign, pts <= lastForeign else { return frame }
        return try frame.copiedToMemory()
    }

    /// Returns the frame without the last column or row of an odd side.
    private func even(_ frame: Frame) throws(SessionError) -> Frame {
        guard frame.size == options.pictureSize, frame.size != options.encoder.size, !frame.isOnSurface else {
            return frame
        }
        do { try frame.crop(x: 0, y: 0, to: options.encoder.size) } catch {
            throw SessionError(error, while: "cropping a picture", else: .allocationFailed)
        }
        return frame
    }

    /// Creates a pool of pixel buffers that need no conversion.
    func makePool() throws(SessionError) -> PixelBufferPool {
        let samples = options.encoder.pixelFormat
        let format = [PixelFormat.nv12, .p010].first { $0.hasSamples(like: samples) } ?? samples
        guard capabilities.isHardware else { return try PixelBufferPool(size: options.encoder.size, format: samples) }
        return try PixelBufferPool(
            size: options.encoder.size, format: format, upload: (try device.makeUpload(), place))
    }
}
