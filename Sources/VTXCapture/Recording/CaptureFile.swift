import Glibc
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// The file of a recording. It has its final name from the beginning and is always complete up to the last second,
/// because a recording cannot be repeated.
///
/// Unchecked: one thread at a time calls it.
final class CaptureFile: CapturePacketSink, @unchecked Sendable {
    private let path: String
    private let descriptor: FileDescriptor
    /// Whether the file did not exist before.
    private let isNew: Bool
    private let muxer: CaptureMuxer
    private var written: Int64 = 0

    /// Creates the file, or opens an existing one and leaves it unchanged until the first frame.
    init(_ path: String, _ container: Container, replaces: Bool) throws(TranscodeError) {
        do throws(AtomicFileError) { try AtomicFile.checkName(path) } catch { throw TranscodeError(recording: error) }
        self.path = path
        isNew = !replaces || !AtomicFile.exists(path)
        do throws(SystemError) {
            descriptor = try FileDescriptor(opening: path, O_RDWR | O_NONBLOCK | (isNew ? O_CREAT | O_EXCL : 0))
        } catch {
            throw error.code == EEXIST
                ? TranscodeError(existing: path)
                : TranscodeError(output: "'\(path)' cannot be written", error.code)
        }
        guard descriptor.lock() else { throw TranscodeError(AtomicFileError.busy(path: path)) }
        // Opening it again truncates it: the previous contents remain until there is something to replace them.
        muxer = CaptureMuxer(container, name: path) { [openedPath = descriptor.path] () throws(FFmpegError) in
            try Muxer(path: openedPath, format: container.muxerName)
        }
    }

    let skippedCount = 0
    var byteCount: Int64 { muxer.hasBegun ? muxer.byteCount : written }

    func write(_ packet: CapturePacket) throws(TranscodeError) {
        do throws(FFmpegError) { try muxer.write(packet) } catch { throw failure(error) }
    }

    /// Closes the file. A file without a frame is removed, unless it existed before.
    ///
    /// - Throws: also if the name now refers to another file, or to none.
    func finish() throws(TranscodeError) {
        guard muxer.hasBegun else { return discard() }
        written = muxer.byteCount
        do throws(FFmpegError) { try muxer.finish() } catch { throw failure(error) }
        do throws(SystemError) { try descriptor.synchronize() } catch {
            throw TranscodeError(output: "'\(path)' cannot be written", error.code)
        }
        written = descriptor.status?.byteCount ?? written
        guard hasName else {
            throw TranscodeError(
                .outputWrite, "'\(path)' was removed or replaced while it was written: the recording is lost")
        }
    }

    func limitWaiting() {}

    private var hasName: Bool { FileStatus(path)?.identity == descriptor.status?.identity }

    private func discard() {
        if isNew, hasName { unlink(path) }
    }

    private func failure(_ error: FFmpegError) -> TranscodeError {
        switch error.kind {
        case .noSpace, .permission, .notFound:
            TranscodeError(output: "'\(path)' cannot be written", -error.status)
        default: TranscodeError(.outputWrite, "'\(path)' cannot be written: \(error)").caused(by: "\(error)")
        }
    }
}

extension TranscodeError {
    /// The error of an output, with the options of a recording.
    init(recording error: AtomicFileError) {
        switch error {
        case .exists(let path): self.init(existing: path)
        case .isDirectory(let path):
            self.init(.outputNotAFile, "the output '\(path)' is a directory", hint: "name a file in it")
        default: self.init(error)
        }
    }

    init(existing output: String) {
        self.init(
            .outputExists, "the output '\(output)' exists already",
            hint: "\(option: .overwrite, "replace") replaces it, \(option: .overwrite, "skip") keeps it")
    }
}
