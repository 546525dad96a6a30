import VTXTask

/// An event of a ``CaptureSession`` (AVFoundation: its notifications).
public enum CaptureEvent: Sendable, Hashable {
    /// The camera delivers frames (`AVCaptureSessionDidStartRunning`).
    case started
    /// An output failed; the others continue. `output` is its index in the order of ``CaptureSession/add(_:)``.
    case outputFailed(output: Int, CaptureError)
    /// A notice for users: a connection was lost or restored (`capture.connection`), an encoder was replaced
    /// (`capture.encoder`), one of several outputs ended (`capture.output`), or the outputs are too slow and the frames
    /// of a second are lost (`capture.dropped`).
    case notice(code: String, message: String)
    /// The camera stopped delivering frames because it was unplugged or failed (`AVCaptureSessionRuntimeError`).
    case failed(CaptureError)
    /// The last event: every file is complete (`AVCaptureSessionDidStopRunning`).
    case stopped(CaptureStatistics)
}

/// The frame counts of a ``CaptureSession``.
public struct CaptureStatistics: Sendable, Hashable {
    /// The number of frames passed to the outputs.
    public var frameCount = 0
    /// The number of frames that the camera itself dropped.
    public var missingCount = 0
    /// The number of frames dropped because the outputs were too slow.
    public var droppedCount = 0
    /// The number of frames that were truncated or could not be decoded. With H.264, these include the frames after a
    /// lost one, up to the next key frame.
    public var damagedCount = 0
    /// The maximum time from the capture of a frame to its output, in the last second of the slowest recording, in
    /// seconds; nil without a recording.
    public var latencySeconds: Double?
}

/// An error of a ``CaptureSession``.
public struct CaptureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One of the codes listed in `docs/use.md`: `camera.busy`, `output.noSpace`.
    public var code: String
    /// A one-sentence description for users.
    public var message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: TranscodeError) { self.init(code: error.code, message: "\(error.message)") }

    public var description: String { "\(message) (\(code))" }
}
