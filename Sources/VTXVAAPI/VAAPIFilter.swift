import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

/// The GPU's video processor: crop, turn, scale and letterbox in one pass, and deinterlacing. A frame that needs none
/// of it passes untouched; one in memory is put on a surface first.
///
/// Unchecked: one thread at a time calls it, as the contract says.
final class VAAPIFilter: VideoFilter, @unchecked Sendable {
    private let configuration: FilterConfiguration
    private let upload: SurfaceUpload
    private let processor: VideoProcessor?
    private let output: SurfacePool?
    private var fields: FieldNeighbours
    private let algorithm: DeinterlacingAlgorithm?
    private var isAtEnd = false

    init(_ configuration: FilterConfiguration, _ session: VAAPISession) throws(SessionError) {
        let answers = session.opened.answers
        self.configuration = configuration
        let listed = answers.row(.none, .videoProc).map { SurfaceFormat.all(in: $0) } ?? [.nv12, .p010]
        upload = SurfaceUpload(to: session.device, formats: listed.map(\.pixelFormat))
        algorithm = DeinterlacingChoice.best(of: answers.videoProcessing?.deinterlacing ?? [])
        fields = FieldNeighbours(algorithm: algorithm, isWanted: configuration.deinterlacing != .never)
        guard answers.has(.none, .videoProc) else {
            (processor, output) = (nil, nil)
            return
        }
        do { processor = try VideoProcessor(session.opened.display, size: configuration.size) } catch {
            throw SessionError(.unsupportedFormat, "the GPU's video processor: \(error)")
        }
        do {
            output = try SurfacePool(
                session.device, size: configuration.size,
                pixelFormat: (configuration.pixelFormat.bitDepth > 8 ? SurfaceFormat.p010 : .nv12).pixelFormat)
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
        guard let next = fields.next() else { return isAtEnd ? .endOfStream : .needsInput }
        let frame = try process(next)
        frame.rescale(to: configuration.timeBase)
        return .unit(frame)
    }

    private func process(_ picture: FieldNeighbours.Picture) throws(SessionError) -> Frame {
        let frame = picture.frame
        let shape = FrameShape(frame)
        if configuration.isPicture(like: shape), frame.cropOrigin == (0, 0) { return frame }
        guard let processor, let output else {
            throw SessionError(.unsupportedFormat, "the GPU has no video processor, and \(shape.size) must be changed")
        }
        do {
            let target = try output.makeFrame(like: frame)
            try processor.process(try pass(picture, shape, to: target))
            configuration.describe(target)
            return target
        } catch let error as VAError {
            throw SessionError(.hardwareMalfunction, "processing a picture on the GPU: \(error)")
        } catch let error as FFmpegError {
            throw SessionError(error, while: "taking a surface", else: .allocationFailed)
        } catch {
            throw SessionError(.hardwareMalfunction, "processing a picture on the GPU: \(error)")
        }
    }

    private func pass(
        _ picture: FieldNeighbours.Picture, _ shape: FrameShape, to target: Frame
    ) throws(FFmpegError) -> ProcessingPass {
        guard let source = picture.frame.surfaceID, let targetID = target.surfaceID else {
            throw FFmpegError("av_hwframe_get_buffer", -1)
        }
        let placement = SurfacePlacement(configuration, shape, origin: picture.frame.cropOrigin)
        var pass = ProcessingPass(source: source, placement.source, target: targetID, placement.target)
        pass.turn(configuration.orientation)
        pass.colorStandard = ProcessingPass.ColorStandard(matrix: configuration.color.matrix)
        pass.isFullRange = configuration.color.isFullRange ?? shape.color.isFullRange ?? false
        if configuration.isDeinterlacing(shape) {
            pass.deinterlacing = algorithm
            pass.isBottomFieldFirst = picture.frame.isBottomFieldFirst
            pass.forwardReferences = picture.before.compactMap(\.surfaceID)
            pass.backwardReferences = picture.after.compactMap(\.surfaceID)
        }
        return pass
    }
}

extension FilterConfiguration {
    /// Like `isIdentity`, but the rate is somebody else's.
    fileprivate func isPicture(like shape: FrameShape) -> Bool {
        var still = self
        still.frameRate = nil
        return still.isIdentity(for: shape)
    }

    /// What the new picture is, where it differs from the old one.
    fileprivate func describe(_ frame: Frame) {
        frame.color = color
        if deinterlacing != .never { frame.declareProgressive() }
        if isSquare {
            frame.sampleAspectRatio = Rational(1, 1)
        } else if orientation.isTransposed, frame.sampleAspectRatio.isPositive {
            frame.sampleAspectRatio = frame.sampleAspectRatio.reciprocal
        }
    }
}

extension ProcessingPass {
    /// Only what `VAAPICapabilities` promises.
    fileprivate mutating func turn(_ orientation: DisplayMatrix.Orientation) {
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
