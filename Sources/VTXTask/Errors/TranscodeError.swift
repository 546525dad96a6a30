import Glibc
package import VTXMedia
package import VTXSystem

/// Why a task failed: what, where, and what would be allowed.
package struct TranscodeError: Error, Sendable, Hashable {
    package var kind: ErrorKind
    /// The forbidden notice; only with `.forbiddenDowngrade` and `.forbiddenFallback`.
    package var notice: NoticeKind?
    /// One sentence for users with the value and what is allowed.
    package var message: Message
    /// A remedy, if there is one.
    package var hint: Message?

    // The location, as far as it is known.
    package var stage: VideoStage?
    /// The index of the source's stream.
    package var stream: Int?
    package var device: DeviceID?
    /// Seconds on the source's timeline.
    package var time: Double?
    /// The message of the library or the system.
    package var cause: String?

    package init(_ kind: ErrorKind, _ message: Message, hint: Message? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }

    /// Stable, for programs: `input.notFound`; for a forbidden notice, the notice's code.
    package var code: String { notice?.rawValue ?? kind.rawValue }
    package var category: ErrorKind.Category { kind.category }
}

extension TranscodeError {
    /// Returns the error with a stream of the source.
    package func at(stream: Int) -> TranscodeError {
        var error = self
        error.stream = stream
        return error
    }

    /// Returns the error with the message of the library or the system.
    package func caused(by cause: String) -> TranscodeError {
        var error = self
        error.cause = cause
        return error
    }

    package static func cancelled(_ reason: Cancellation.Reason, _ message: Message) -> TranscodeError {
        TranscodeError(reason == .interrupted ? .interrupted : .terminated, message)
    }

    /// Creates the error for a notice that the request forbids.
    package init(forbidding notice: Notice, hint: Message) {
        self.init(
            notice.category == .fallback ? .forbiddenFallback : .forbiddenDowngrade, notice.message, hint: hint)
        self.notice = notice.kind
    }

    /// Creates the error for a GPU that failed midway in a job in which software must not replace it.
    package static func forbiddenFallback(_ failure: String) -> TranscodeError {
        TranscodeError(forbidding: Notice(.fallbackFault, Message(failure)), hint: .forbiddenFallback)
    }

    /// Creates the error for a failed GPU without a replacement.
    package init(_ failure: HardwareFailure) {
        self.init(.sessionHardwareMalfunction, "\(failure.deviceName): \(failure.message)")
        (stage, device, cause) = (failure.stage, failure.device, failure.message)
    }
}

extension Message {
    /// The remedy for a forbidden fallback.
    package static let forbiddenFallback: Message =
        "\(option: .failOnFallback) forbids this; vtx probe shows what the GPUs here support"
}

extension TranscodeError: Codable {
    private enum Key: CodingKey {
        /// The kind, or the forbidden notice.
        case code
        case category
        case message
        case hint
        case stage
        case stream
        case device
        case time
        case cause
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let message = try container.decode(Message.self, forKey: .message)
        let hint = try container.decodeIfPresent(Message.self, forKey: .hint)
        if let kind = try? container.decode(ErrorKind.self, forKey: .code) {
            self.init(kind, message, hint: hint)
        } else {
            let notice = Notice(try container.decode(NoticeKind.self, forKey: .code), message)
            self.init(forbidding: notice, hint: "")
            self.hint = hint
        }
        stage = try container.decodeIfPresent(VideoStage.self, forKey: .stage)
        stream = try container.decodeIfPresent(Int.self, forKey: .stream)
        device = try container.decodeIfPresent(DeviceID.self, forKey: .device)
        time = try container.decodeIfPresent(Double.self, forKey: .time)
        cause = try container.decodeIfPresent(String.self, forKey: .cause)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(code, forKey: .code)
        try container.encode(category, forKey: .category)
        try container.encode(message, forKey: .message)
        try container.encodeIfPresent(hint, forKey: .hint)
        try container.encodeIfPresent(stage, forKey: .stage)
        try container.encodeIfPresent(stream, forKey: .stream)
        try container.encodeIfPresent(device, forKey: .device)
        try container.encodeIfPresent(time, forKey: .time)
        try container.encodeIfPresent(cause, forKey: .cause)
    }
}

extension TranscodeError {
    package static let standardOutputIsTerminal = TranscodeError(
        .outputPipe, "standard output is a terminal, which cannot show video",
        hint: "pipe it into a program, or name a file")
    package static let standardOutputClosed = TranscodeError(
        .outputReader, "the program reading standard output has ended or closed it")
}

extension TranscodeError {
    /// Creates the error for an output that cannot be written.
    package init(_ error: AtomicFileError) {
        switch error {
        case .exists(let path):
            self.init(
                .outputExists, "the output '\(path)' exists already", hint: Self.overwriting)
        case .isSource(let path):
            self.init(
                .outputIsInput, "'\(path)' is the input itself; vtx never overwrites its source",
                hint: "name another output, or none")
        case .containsSource(let path):
            self.init(.outputIsInput, "the input is in the output directory '\(path)'", hint: "name another directory")
        case .isDirectory(let path):
            self.init(
                .outputNotAFile, "the output '\(path)' is a directory",
                hint: "name a file in it; \(option: .outputDirectory) takes a directory")
        case .foreignDirectory(let path):
            self.init(
                .outputExists, "the output '\(path)' is a directory that contains other files",
                hint: "name a new or empty directory")
        case .fixedDirectory(let path):
            self.init(
                .outputNotAFile, "'\(path)' cannot be the output: vtx renames the complete directory to this name",
                hint: "name a new directory in it")
        case .notRegularFile(let path):
            self.init(.outputNotAFile, "the output '\(path)' exists and is not a regular file")
        case .notPartialFile(let path, let partial):
            self.init(
                .outputNotAFile, "'\(partial)' exists, and was not left by vtx",
                hint: "vtx writes to this name before it renames the file to '\(path)'")
        case .busy(let path): self.init(.outputBusy, "another vtx is writing '\(path)'")
        case .directory(let path, let error):
            self.init(output: "the output directory '\(path)' cannot be used", error.code)
        case .system(let path, let error): self.init(output: "'\(path)' cannot be written", error.code)
        case .sourceNotRemoved(let path, let output, let error):
            self.init(
                .outputNotReplaced,
                "'\(output)' is complete and in place, but its source '\(path)' cannot be removed: \(error.reason)",
                hint: "the same command tries again")
        }
    }

    private static let overwriting: Message =
        "\(option: .overwrite, "replace") replaces it once the new file is complete; "
        + "\(option: .overwrite, "skip") keeps it"

    package static func stopped(_ reason: Cancellation.Reason) -> TranscodeError {
        .cancelled(reason, reason == .interrupted ? "interrupted" : "terminated")
    }

    /// Returns the error for a job that the user has cancelled. An existing file with the output's name stays
    /// unchanged.
    package static func cancelled(_ reason: Cancellation.Reason, output: String) -> TranscodeError {
        .cancelled(
            reason,
            output == StandardStream.path
                ? "cancelled; standard output contains only a part of the video"
                : FileStatus(output) == nil
                    ? "cancelled; '\(output)' was not created" : "cancelled; the old '\(output)' is unchanged")
    }

    /// Creates the error for a failed system call while writing.
    ///
    /// - Parameter code: The `errno`.
    package init(output what: String, _ code: Int32) {
        let error = SystemError("write", code)
        self.init(error.outputKind, "\(what): \(error.reason)")
        cause = error.reason
    }
}

extension SystemError {
    fileprivate var outputKind: ErrorKind {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .outputNoSpace
        case EACCES, EPERM, EROFS: .outputPermission
        case EEXIST: .outputExists
        case ENOENT, ENOTDIR: .outputNotFound
        case ENAMETOOLONG: .outputNameTooLong
        default: .outputWrite
        }
    }
}

/// Converts errors of an `AtomicFile` to the transcode's.
package func reportingOutputErrors<Result>(
    _ body: () throws(AtomicFileError) -> Result
) throws(TranscodeError) -> Result {
    do throws(AtomicFileError) { return try body() } catch { throw TranscodeError(error) }
}
