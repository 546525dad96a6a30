import Glibc
package import VTXFFmpeg
package import VTXMedia
import VTXSystem
package import VTXTask

/// Checks a path before libavformat opens it.
package enum InputFile {
    /// Formats that libavformat accepts but that are not video: text rendered as images, lists of other files.
    private static let refusedFormats = [
        "tty": "a text file", "concat": "a list of files", "hls": "a playlist", "dash": "a playlist",
        "sdp": "a session description", "image2": "a still picture", "ffmetadata": "a list of tags",
        "bin": "a text file", "xbin": "a text file", "adf": "a text file", "idf": "a text file",
    ]

    /// Their libavformat names.
    static let refusedNames = Set(refusedFormats.keys)

    /// Opens a media file.
    ///
    /// - Parameters:
    ///   - limits: How far to search for streams.
    ///   - frameRate: The rate of a raw stream; nil for that in its headers.
    package static func open(
        _ path: String, limits: Demuxer.ProbeLimits = .usual, frameRate: Rational? = nil
    ) throws(TranscodeError) -> Demuxer {
        do {
            return try Demuxer(path: path, refusing: refusedNames, probeLimits: limits, frameRate: frameRate)
        } catch { throw explain(error, path) }
    }

    /// Opens a file that was open before, from its beginning.
    static func reopen(_ path: String, frameRate: Rational? = nil) throws(FFmpegError) -> Demuxer {
        try Demuxer(path: path, refusing: refusedNames, frameRate: frameRate)
    }

    /// Explains why libavformat could not open the file.
    static func explain(_ error: FFmpegError, _ path: String) -> TranscodeError {
        if let format = Demuxer.probeFormat(of: path), let what = refusedFormats[format] {
            return TranscodeError(.inputNotMedia, "'\(path)' is \(what), not a media file")
        }
        // libavformat asks for as much memory as a damaged index counts entries.
        guard error.kind == .invalidData || error.kind == .outOfResources else {
            let kind: ErrorKind = error.kind == .permission ? .inputPermission : .inputOpen
            return TranscodeError(kind, "'\(path)' cannot be opened: \(error)").caused(by: "\(error)")
        }
        return explainMovie(path)
            ?? TranscodeError(.inputNotMedia, "'\(path)' is not a media file, or is damaged at its beginning")
    }

    /// Explains why an MP4 or QuickTime file cannot be read; nil for other files.
    private static func explainMovie(_ path: String) -> TranscodeError? {
        // ISO/IEC 14496-12: the first box is `ftyp`; QuickTime files may begin with others.
        guard let movie = try? MovieBoxes(reading: path), let first = movie.topLevel.first,
            ["ftyp", "mdat", "wide", "free"].contains(first.type)
        else { return nil }
        let name: Message = "'\(path)' is an MP4 or QuickTime file"
        if movie.topLevel.contains(where: { $0.type == "moov" }) {
            return TranscodeError(.inputBadIndex, "\(name) with a damaged index (the 'moov' box)")
        }
        if let index = movie.hiddenIndex {
            let box = movie.brokenBox.map { "the box at byte \($0)" } ?? "a box before it"
            return TranscodeError(
                .inputNoIndex,
                "\(name) whose index (the 'moov' box at byte \(index)) cannot be reached: \(box) has a wrong length")
        }
        guard let broken = movie.brokenBox else {
            return TranscodeError(
                .inputNoIndex, "\(name) without its index (the 'moov' box)",
                hint: "the index is written last: the recording or the copy was cut off before its end")
        }
        return TranscodeError(
            .inputNoIndex,
            "\(name) whose index (the 'moov' box) cannot be found: the box at byte \(broken) has a wrong length",
            hint: "the file was cut off in that box, or its length is damaged")
    }

    /// - Returns: the size of the file, in bytes.
    package static func check(_ path: String) throws(TranscodeError) -> Int64 {
        guard let status = FileStatus(path) else { throw unreadable("'\(path)'", errno) }
        guard status.kind == .regular else {
            throw TranscodeError(
                .inputNotAFile, "'\(path)' is \(status.kind.name), not a file",
                hint: status.kind == .fifo ? "- reads from a pipe: vtx transcode - OUTPUT < PIPE" : nil)
        }
        guard status.byteCount > 0 else {
            throw TranscodeError(.inputEmpty, "'\(path)' is empty")
        }
        guard access(path, R_OK) == 0 else { throw unreadable("'\(path)'", errno) }
        return status.byteCount
    }

    /// Rejects devices before opening them: for some, opening alone has an effect.
    static func checkIsNoDevice(_ path: String) throws(TranscodeError) {
        guard let kind = FileStatus(path)?.kind, kind == .blockDevice || kind == .characterDevice else { return }
        throw TranscodeError(
            .inputNotAFile, "'\(path)' is a device; only files, FIFOs and standard input are read",
            hint: "- is standard input")
    }

    /// - Parameter name: The name for messages.
    static func unreadable(_ name: String, _ error: Int32) -> TranscodeError {
        let reason = SystemError("", error).reason
        let kind: ErrorKind = error == ENOENT ? .inputNotFound : error == EACCES ? .inputPermission : .inputOpen
        return TranscodeError(kind, "\(name) cannot be read: \(reason)").caused(by: reason)
    }
}

extension FileStatus.Kind {
    fileprivate var name: String {
        switch self {
        case .directory: "a directory"
        case .fifo: "a FIFO"
        case .socket: "a socket"
        case .blockDevice, .characterDevice: "a device"
        case .regular, .symbolicLink: "not a regular file"
        }
    }
}
