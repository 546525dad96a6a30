import FoundationEssentials
import Glibc
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

/// A file uploaded by a client. The size of the file tells how much has arrived.
struct Upload: Sendable, Hashable, Codable {
    var id: String
    /// In bytes.
    var length: Int64
    /// The client's name for it, sanitized.
    var name: String
    var createdAt: Timestamp

    func json(offset: Int64) -> JSONValue {
        [
            "id": .string(id), "name": .string(name), "length": .integer(length), "offset": .integer(offset),
            "complete": .bool(offset == length), "createdAt": .string(createdAt.description),
        ]
    }

    static var schema: Schema {
        .named(
            "Upload",
            .object(
                .init([
                    .init("id", .string(), "For a job's `input.upload`.", required: true),
                    .init("name", .string(), "The client's name of the file.", required: true),
                    .init("length", .integer(0...Int64.max), "The total size in bytes.", required: true),
                    .init("offset", .integer(0...Int64.max), "Bytes received.", required: true),
                    .init("complete", .boolean, "Whether all bytes are received.", required: true),
                    .init("createdAt", .string(.init(format: "date-time")), "When it was started.", required: true),
                ])))
    }
}

/// Appends the bytes of a request to an upload as they arrive. If the connection breaks, they stay.
final class UploadSink: HTTPBodySink {
    let upload: Upload
    private let file: SharedFile
    private let limit: Int64
    private let count: Locked<Int64>
    private let onEnd: Locked<(@Sendable (_ isFinished: Bool) -> Void)?>

    /// - Parameters:
    ///   - offset: The number of bytes received before.
    ///   - limit: The maximum number of bytes.
    ///   - onEnd: Called once, with whether the request was complete.
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
            return Problem(413, "upload.tooLarge", "the upload is limited to \(limit) bytes").response
        }
        do throws(SystemError) { try file.descriptor.writeAll(bytes) } catch { return Self.failure(error).response }
        return nil
    }

    /// Flushes what has arrived to disk.
    ///
    /// - Returns: the number of bytes received so far.
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

/// Sanitizes file names chosen by clients or other servers.
enum ClientFileName {
    private static let longest = 120

    /// Returns a name that is a single visible path component and short enough to be extended. Its extension determines
    /// the format, and the output's name is derived from it.
    ///
    /// - Returns: `source` if nothing is left of it.
    static func plain(_ name: String) -> String {
        let last = name.split(separator: "/").last.map { String($0) } ?? ""
        let visible = String(String.UnicodeScalarView(last.unicodeScalars.filter { !isControl($0) }))
        let (stem, pathExtension) = FileName.split(String(visible.drop { $0 == "." || $0 == "-" || $0 == " " }))
        let ending = pathExtension.isEmpty ? "" : "." + shortened(pathExtension, to: 16)
        return (stem.isEmpty ? "source" : shortened(stem, to: longest)) + ending
    }

    /// Returns the file name of a URL.
    static func plain(ofURL url: String) -> String {
        let path = URLParts(url)?.path.prefix { $0 != "?" && $0 != "#" } ?? ""
        let last = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        return plain(PercentEncoding.decode(last) ?? "")
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }

    /// Truncates to a number of bytes, at a character boundary.
    private static func shortened(_ text: String, to bytes: Int) -> String {
        var text = text
        while text.utf8.count > bytes { text.removeLast() }
        return text
    }
}

/// The headers of tus 1.0 (tus.io, "Resumable upload protocol").
enum Tus {
    static let version = "1.0.0"
    static let contentType = "application/offset+octet-stream"

    /// - Throws: 412 for another version.
    static func check(_ request: HTTPRequest) throws(Problem) {
        guard let asked = request.header("tus-resumable"), asked != version else { return }
        var problem = Problem(412, "upload.version", "this service supports tus \(version), not \(asked)")
        problem.headers = [("Tus-Version", version)]
        throw problem
    }

    /// Returns the name in `filename BASE64,filetype BASE64`.
    static func name(inMetadata text: String) -> String? {
        for pair in text.split(separator: ",") {
            let parts = pair.split(separator: " ")
            guard parts.count == 2, ["filename", "name"].contains(parts[0]) else { continue }
            return Data(base64Encoded: String(parts[1])).flatMap { String(data: $0, encoding: .utf8) }
        }
        return nil
    }
}
