import VTXTask

/// What happens in a ``CaptureSession`` (AVFoundation: its notifications).
public enum CaptureEvent: Sendable, Hashable {
    /// The camera gives pictures (`AVCaptureSessionDidStartRunning`).
    case started
    /// An output cannot go on; the others do. `output` is its place in the order of ``CaptureSession/add(_:)``.
    case outputFailed(output: Int, CaptureError)
    /// The camera gives no more: it was unplugged, or failed (`AVCaptureSessionRuntimeError`).
    case failed(CaptureError)
    /// The last event: every file has its end (`AVCaptureSessionDidStopRunning`).
    case stopped(CaptureStatistics)
}

/// What came of a ``CaptureSession``.
public struct CaptureStatistics: Sendable, Hashable {
    /// Pictures that went to the outputs.
    public var frameCount = 0
    /// Pictures that the camera itself dropped.
    public var missingCount = 0
    /// Pictures that came faster than the outputs took them.
    public var droppedCount = 0
    /// Pictures that were cut off or could not be decoded.
    public var damagedCount = 0
}

/// Why a ``CaptureSession`` cannot do something.
public struct CaptureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One of the codes that `docs/use.md` lists: `camera.busy`, `output.noSpace`.
    public var code: String
    /// One sentence for people.
    public var message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: TranscodeError) { self.init(code: error.code, message: "\(error.message)") }

    public var description: String { "\(message) (\(code))" }
}
