import VTXMedia
import VTXTask

/// An error of a ``SampleReader`` or a ``SampleWriter`` (AVFoundation: `AVError`).
public struct MediaFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One of the codes listed in `docs/use.md`: `input.notFound`, `output.exists`, `session.badParameter`.
    public var code: String
    /// A one-sentence description for users.
    public var message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    init(_ kind: ErrorKind, _ message: String) { self.init(code: kind.rawValue, message: message) }
    init(_ error: TranscodeError) { self.init(code: error.code, message: "\(error.message)") }
    init(_ error: SessionError) { self.init(ErrorKind(error.code), error.message) }

    public var description: String { "\(message) (\(code))" }
}
