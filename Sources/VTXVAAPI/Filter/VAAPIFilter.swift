import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

/// The GPU's video processor: deinterlacing, noise reduction, sharpening, tone mapping, cropping, rotation, scaling and
/// letterbox. A frame that needs none of these is passed through; one in memory is first copied to a surface.
///
/// Unchecked: one thread at a time calls it, as the protocol requires.
final class VAAPIFilter: VideoFilter, @unchecked Sendable {
    private let configuration: FilterConfiguration
    private let upload: SurfaceUpload
    private let processor: VideoProcessor?
    private let output: SurfacePool?
    /// Set from the first frame on that does not fill its target.
    private var bars: LetterboxBars?
    private var fields: DeinterlaceReferences
    private let deinterlacing: DeinterlacingChoice?
    /// On the driver's scales.
    private var strengths: (denoising: Float?, sharpening: Float?)
    /// The frame whose first field has been output.
    private var secondField: DeinterlaceReferences.Picture?
    private var isAtEnd = false
    /// Runs before the first tone-mapped frame.
    private var toneMappingTrial: ToneMappingTrial?

    init(
        _ configuration: FilterConfiguration, _ device: OpenedDevice, triesToneMapping: Bool = true
    ) throws(SessionError) {
        toneMappingTrial = triesToneMapping ? ToneMappingTrial(device: device) : nil
        let answers = device.answers
        self.configuration = configuration
        let listed = answers.row(.none, .videoProc).map { SurfaceFormat.all(in: $0) } ?? [.nv12, .p010]
        upload = SurfaceUpload(to: device, formats: listed.map(\.pixelFormat))
        deinterlacing = DeinterlacingChoice(answers.videoProcessing?.deinterlacing ?? [])
        guard answers.has(.none, .videoProc) else {
            (processor, output, strengths) = (nil, nil, (nil, nil))
            fields = DeinterlaceReferences(references: (0, 0)) { _ in false }
            return
        }
        let made = try Self.makeProcessor(configuration, device, deinterlacing)
        processor = made.processor
        strengths = try Self.strengths(configuration, made.processor)
        fields = DeinterlaceReferences(references: made.references) { configuration.isDeinterlacing(FrameFormat($0)) }
        output = try Self.makePool(configuration, device)
    }

    /// - Returns: the processor, and how many frames on either side it needs.
    private static func makeProcessor(
        _ configuration: FilterConfiguration, _ device: OpenedDevice, _ deinterlacing: DeinterlacingChoice?
    ) throws(SessionError) -> (processor: VideoProcessor, references: (before: Int, after: Int)) {
        do throws(VAError) {
            let processor = try VideoProcessor(device.display, size: configuration.size)
            guard let deinterlacing else { return (processor, (0, 0)) }
            return (processor, try processor.references(of: deinterlacing.algorithm))
        } catch {
            throw SessionError(.unsupportedFormat, "the GPU's video processor: \(error)")
        }
    }

    private static func strengths(
        _ configuration: FilterConfiguration, _ processor: VideoProcessor
    ) throws(SessionError) -> (denoising: Float?, sharpening: Float?) {
        func value(_ filter: VideoProcFilter, _ wanted: FilterStrength?) throws(VAError) -> Float? {
            guard let wanted else { return nil }
            return try processor.strength(of: filter, share: wanted.share)
        }
        do throws(VAError) {
            return (
                try value(.noiseReduction, configuration.denoising), try value(.sharpening, configuration.sharpening)
            )
        } catch {
            throw SessionError(.unsupportedFormat, "the GPU's video processor: \(error)")
        }
    }

    private static func makePool(
        _ configuration: FilterConfiguration, _ device: OpenedDevice
    ) throws(SessionError) -> SurfacePool {
        let format: SurfaceFormat = configuration.pixelFormat.bitDepth > 8 ? .p010 : .nv12
        do {
            return try SurfacePool(device.hardware, size: configuration.size, pixelFormat: format.pixelFormat)
        } catch {
            throw SessionError(error, while: "making surfaces of \(configuration.size)", else: .allocationFailed)
        }
    }

    func send(_ frame: Frame?) throws(SessionError) {
        guard let frame else {
            isAtEnd = true
            return fields.end()
        }
        fields.add(try upload.surface(for: frame))
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        if let picture = secondField {
            secondField = nil
            return .unit(configuration.timed(try process(picture, isSecondField: true), isSecondField: true))
        }
        guard let next = fields.next() else { return isAtEnd ? .endOfStream : .needsInput }
        if configuration.deinterlacing == .everyField { secondField = next }
        return .unit(configuration.timed(try process(next), isSecondField: false))
    }

    private func process(
        _ picture: DeinterlaceReferences.Picture, isSecondField: Bool = false
    ) throws(SessionError) -> Frame {
        let frame = picture.frame
        let shape = FrameFormat(frame)
        if configuration.isToneMapping(shape) {
            try toneMappingTrial?.run()
            toneMappingTrial = nil
        }
        if configuration.keepsPicture(of: shape), frame.cropOrigin == (0, 0) { return frame }
        guard let processor, let output else {
            throw SessionError(.unsupportedFormat, "the GPU has no video processor, and \(shape.size) must be changed")
        }
        return try Self.attributed {
            let target = try output.makeFrame(like: frame)
            var pass = try pass(picture, shape, to: target)
            pass.isSecondField = isSecondField
            if bars == nil, pass.targetRegion != PixelRegion(size: target.size) {
                bars = try LetterboxBars(processor, output, isFullRange: pass.isFullRange)
            }
            if bars != nil { try bars?.process(pass, onto: target) } else { try processor.process([pass]) }
            configuration.describe(target, isToneMapped: configuration.isToneMapping(shape))
            return target
        }
    }

    private static func attributed(_ body: () throws -> Frame) throws(SessionError) -> Frame {
        do { return try body() } catch let error as SessionError {
            throw error
        } catch let error as VAError {
            throw SessionError(.hardwareMalfunction, "processing a picture on the GPU: \(error)")
        } catch let error as FFmpegError {
            throw SessionError(error, while: "taking a surface", else: .allocationFailed)
        } catch {
            throw SessionError(.hardwareMalfunction, "processing a picture on the GPU: \(error)")
        }
    }

    private func pass(
        _ picture: DeinterlaceReferences.Picture, _ shape: FrameFormat, to target: Frame
    ) throws(FFmpegError) -> ProcessingPass {
        guard let source = picture.frame.surfaceID, let targetID = target.surfaceID else {
            throw FFmpegError("av_hwframe_get_buffer", -1)
        }
        let placement = SurfaceRegions(configuration, shape, origin: picture.frame.cropOrigin)
        var pass = ProcessingPass(source: source, placement.source, target: targetID, placement.target)
        pass.rotate(configuration.orientation)
        pass.colorStandard = ProcessingPass.ColorStandard(matrix: configuration.color.matrix)
        pass.isFullRange = configuration.color.isFullRange ?? shape.color.isFullRange ?? false
        (pass.denoising, pass.sharpening) = strengths
        if configuration.isToneMapping(shape) { pass.toneMapping = configuration.toneMapping }
        if let deinterlacing, configuration.isDeinterlacing(shape) { pass.deinterlace(picture, deinterlacing) }
        return pass
    }
}

extension FilterConfiguration {
    /// Sets the output's timestamps. Each field lasts half a frame of the source's rate, because not all filters and
    /// demuxers mark frames correctly.
    fileprivate func timed(_ frame: Frame, isSecondField: Bool) -> Frame {
        frame.rescale(to: timeBase)
        guard deinterlacing == .everyField else { return frame }
        frame.duration = MediaTime.rescale(1, from: pictureRate.reciprocal, to: timeBase)
        if isSecondField { frame.pts = frame.pts.map { $0 + frame.duration } }
        return frame
    }

    /// Sets the properties in which the new frame differs from the old one.
    fileprivate func describe(_ frame: Frame, isToneMapped: Bool) {
        frame.color = color
        if isToneMapped { frame.removeHDRMetadata() }
        if deinterlacing != .never { frame.declareProgressive() }
        if isSquare {
            frame.sampleAspectRatio = Rational(1, 1)
        } else if orientation.isTransposed, frame.sampleAspectRatio.isPositive {
            frame.sampleAspectRatio = frame.sampleAspectRatio.reciprocal
        }
    }
}

extension FilterStrength {
    /// Of what a driver can.
    var share: Float {
        switch self {
        case .light: 0.2
        case .medium: 0.4
        case .strong: 0.7
        }
    }
}

extension ProcessingPass {
    fileprivate mutating func deinterlace(_ picture: DeinterlaceReferences.Picture, _ choice: DeinterlacingChoice) {
        deinterlacing = picture.hasAll ? choice.algorithm : choice.alone
        isBottomFieldFirst = picture.frame.isBottomFieldFirst
        guard deinterlacing == choice.algorithm else { return }
        forwardReferences = picture.before.compactMap(\.surfaceID)
        backwardReferences = picture.after.compactMap(\.surfaceID)
    }

    /// Supports only what `VAAPICapabilities` reports.
    fileprivate mutating func rotate(_ orientation: DisplayMatrix.Orientation) {
        switch orientation {
        case .rotated90: rotation = .quarter
        case .rotated180: rotation = .half
        case .rotated270: rotation = .threeQuarters
        case .mirrored: mirror = .horizontal
        case .mirroredRotated180: mirror = .vertical
        case .upright, .mirroredRotated90, .mirroredRotated270: break
        }
    }
}
