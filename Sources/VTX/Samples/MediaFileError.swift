import VTXMedia
import VTXTask

/// Why a ``SampleReader`` or a ``SampleWriter`` cannot do something (AVFoundation: `AVError`).
public struct MediaFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One of the codes that `docs/use.md` lists: `input.notFound`, `output.exists`, `session.badParameter`.
    public var code: String
    /// One sentence for people.
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
