import VTXCapture
public import VTXMedia
import VTXSystem
import VTXTask

/// A session that reads a camera and passes its frames to outputs (AVFoundation: `AVCaptureSession`).
///
///     let session = try CaptureSession(.default ?? .testPicture, size: PixelSize(1280, 720), fps: 30)
///     try session.add(.file("out.mp4"))
///     try session.start()
///     try await Task.sleep(for: .seconds(10))
///     try await session.stop()
///
/// A slow output never blocks the camera: excess frames are dropped and counted.
public final class CaptureSession: Sendable {
    /// The size of the frames: the camera's size nearest to the requested one.
    public let size: PixelSize
    /// The frame rate, in frames per second: the camera's rate nearest to the requested one. Each frame has its own
    /// timestamp, so the actual rate may vary.
    public let frameRate: Rational
    /// The camera's pixel format, as V4L2's four-character code: `YUYV`.
    public let sourceFormat: String
    /// The events of the session, for one reader. The last one is ``CaptureEvent/stopped(_:)``.
    public let events: AsyncStream<CaptureEvent>

    private let core: CaptureCore
    private let state = Locked(State.new([]))

    private enum State {
        case new([CaptureOutput])
        case running
        case stopped
    }

    /// Opens the camera and the microphone, which belong to the session as long as the session exists.
    ///
    /// - Parameters:
    ///   - device: A camera, or the test picture.
    ///   - microphone: The microphone whose audio is added to files and live outputs as AAC; nil for none.
    ///   - size: The size; the camera's nearest one is used.
    ///   - fps: The frame rate; the camera's nearest one in that size is used.
    /// - Throws: ``CaptureError``: `camera.notFound`, `camera.permission`, `camera.busy`, `camera.unusable`,
    ///   `camera.format`, `microphone.unusable`.
    public init(
        _ device: CaptureDevice, microphone: CaptureMicrophone? = nil, size: PixelSize = PixelSize(1280, 720),
        fps: Rational = 30
    ) throws(CaptureError) {
        _ = LibraryMessages.areQuietByDefault
        let sides = 16...16384
        guard sides.contains(size.width), sides.contains(size.height), fps.isFrameRate else {
            throw CaptureError(
                code: ErrorKind.sessionBadParameter.rawValue,
                message:
                    "\(size) at \(fps) fps is not possible; allowed: sides of 16 to 16384 pixels, \(Rational.frameRatesAllowed)"
            )
        }
        var request = CaptureRequest()
        (request.device, request.size, request.frameRate) = (device.path, size, fps)
        request.audioDevice = microphone?.device
        let (events, reports) = AsyncStream.makeStream(of: CaptureEvent.self, bufferingPolicy: .bufferingNewest(64))
        do throws(TranscodeError) { core = try CaptureCore(request, reports) } catch {
            throw CaptureError(error)
        }
        self.events = events
        (self.size, frameRate, sourceFormat) = (core.format.size, core.format.frameRate, core.format.name)
    }

    deinit { core.stop() }

    /// Adds an output. Call it before ``start()``.
    ///
    /// - Throws: ``CaptureError``: `session.invalidSession` if the session has been started; for a file or URL that
    ///   does not allow it: `output.extension`, `output.codec`, `output.protocol`.
    public func add(_ output: CaptureOutput) throws(CaptureError) {
        do throws(TranscodeError) { try output.check() } catch { throw CaptureError(error) }
        let isAdded = state.withLock { state in
            guard case .new(let outputs) = state else { return false }
            state = .new(outputs + [output])
            return true
        }
        guard isAdded else { throw .state("outputs are added before the session is started") }
    }

    /// Opens the outputs and starts the camera (AVFoundation: `startRunning`). A session can be started once.
    ///
    /// - Throws: ``CaptureError``: why an output cannot be opened, such as `output.exists`, `encoder.missing`;
    ///   `session.invalidSession` if the session was started before or failed to start.
    public func start() throws(CaptureError) {
        let outputs = state.withLock { state -> [CaptureOutput]? in
            guard case .new(let outputs) = state else { return nil }
            state = .running
            return outputs
        }
        guard let outputs else { throw .state("a session is started once") }
        do throws(TranscodeError) { try core.start(outputs) } catch { throw CaptureError(error) }
    }

    /// Stops the camera, and returns when every file is complete (AVFoundation: `stopRunning`).
    ///
    /// - Throws: ``CaptureError``: the first failure of the camera or an output.
    @discardableResult
    public func stop() async throws(CaptureError) -> CaptureStatistics {
        let wasRunning = state.withLock { state in
            defer { state = .stopped }
            if case .new = state { return false }
            return true
        }
        guard wasRunning else {
            core.abandon()
            return CaptureStatistics()
        }
        core.stop()
        return try await core.ending.value
    }
}

extension CaptureError {
    fileprivate static func state(_ message: String) -> CaptureError {
        CaptureError(code: ErrorKind.sessionInvalidSession.rawValue, message: message)
    }
}
