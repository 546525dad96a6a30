import Glibc
import VTXHTTP
import VTXSystem

/// Appends a request's bytes to an upload as they come. What has come when the connection breaks stays.
final class UploadSink: HTTPBodySink {
    let upload: Upload
    private let file: SharedFile
    private let limit: Int64
    private let count: Locked<Int64>
    private let onEnd: Locked<(@Sendable (_ isFinished: Bool) -> Void)?>

    /// - Parameters:
    ///   - offset: bytes that are there.
    ///   - limit: bytes that there may be.
    ///   - onEnd: called once: whether the request was whole.
    init(
        _ upload: Upload, _ file: SharedFile, from offset: Int64, limit: Int64,
        onEnd: @escaping @Sendable (_ isFinished: Bool) -> Void
    ) {
        self.upload = upload
        self.file = file
        self.limit = limit
        count = Locked(offset)
        self.onEnd = Locked(onEnd)
    }

    func take(_ bytes: RawSpan) -> HTTPResponse? {
        let offset = count.withLock { count in
            count += Int64(bytes.byteCount)
            return count
        }
        guard offset <= limit else {
            return Problem(413, "upload.tooLarge", "the upload may have at most \(limit) bytes").response
        }
        do throws(SystemError) { try file.descriptor.writeAll(bytes) } catch { return Self.failure(error).response }
        return nil
    }

    /// What has come is on the disk.
    ///
    /// - Returns: bytes that are there now.
    func finish() throws(Problem) -> Int64 {
        do throws(SystemError) { try file.descriptor.synchronize() } catch {
            end(false)
            throw Self.failure(error)
        }
        end(true)
        return file.descriptor.status?.byteCount ?? 0
    }

    func abandoned() { end(false) }

    private func end(_ isFinished: Bool) {
        let body = onEnd.withLock { $0.take() }
        body?(isFinished)
    }

    static func failure(_ error: SystemError) -> Problem {
        switch error.code {
        case ENOSPC, EDQUOT: Problem(507, "upload.noSpace", "there is no space for the upload")
        default: Problem(500, "upload.failed", "the upload cannot be written: \(error.reason)")
        }
    }
}
