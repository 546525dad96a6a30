import VTXCommand
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXService
import VTXSystem
import VTXTask

// Uploads and downloads.
extension ServiceClient {
    /// Uploads a file.
    ///
    /// - Returns: the ID of the upload.
    func upload(_ path: String, _ console: Console) throws(ServiceError) -> String {
        let file: SharedFile
        do throws(SystemError) { file = SharedFile(try FileDescriptor(opening: path)) } catch {
            throw ServiceError(.input, "input.unreadable", "'\(path)' cannot be read: \(error.reason)")
        }
        guard let status = file.descriptor.status, status.kind == .regular else {
            let isDirectory = file.descriptor.status?.kind == .directory
            throw ServiceError(
                .input, "input.unreadable", "'\(path)' is \(isDirectory ? "a directory" : "no file")",
                hint: "--upload sends one file")
        }
        guard status.byteCount > 0 else {
            throw ServiceError(.input, "input.unreadable", "'\(path)' is empty")
        }
        let name = FileName.directory(of: path).name
        var request = request("POST", "/v1/uploads?name=\(PercentEncoding.encode(name))")
        request.headers.append(("Content-Type", "application/octet-stream"))
        (request.file, request.timeout, request.stallTimeout) = (file, 0, Self.uploadStallTimeout)
        let line = TransferLine(console, "sending")
        defer { line.clear() }
        request.progress = { sent, _ in line.show(sent, of: status.byteCount) }
        return try answered(request)["id"]?.string ?? ""
    }

    /// In seconds. The service answers an upload once it is on the disk: after the last byte of a large one, there is
    /// silence for minutes.
    private static let uploadStallTimeout = 600.0

    /// Downloads the output of a job.
    ///
    /// - Parameter path: A file or directory; nil for the output's name in the current directory.
    func download(_ id: String, to path: String?, replaces: Bool, _ report: JobReport) throws(ServiceError) {
        let result = try ask("GET", "/v1/jobs/\(id)")["result"]
        let name = FileName.directory(of: result?["output"]?.string ?? "output").name
        if let files = result?["files"]?.array {
            return try download(files, of: id, to: path ?? name, replaces, report)
        }
        let path = Self.place(path, name)
        let count = try save(
            "/v1/jobs/\(id)/output", as: path, replaces: replaces, of: result?["outputBytes"]?.integer, report)
        report.file(path, count)
    }

    /// Downloads an output that is a directory, which gets its name when it is complete.
    private func download(
        _ files: [JSONValue], of id: String, to path: String, _ replaces: Bool, _ report: JobReport
    ) throws(ServiceError) {
        let path = FileName.withoutTrailingSlashes(path)
        let directory = try Self.reserveDirectory(path, replaces: replaces)
        var count: Int64 = 0
        do throws(ServiceError) {
            for file in files {
                let name = file["name"]?.string ?? ""
                // A server's file names must not lead out of the directory.
                guard !name.isEmpty, !name.hasPrefix("."), !name.contains("/") else {
                    throw unreachable("it names a file '\(name)'")
                }
                count += try save(
                    "/v1/jobs/\(id)/output/\(PercentEncoding.encode(name))", as: directory.path(of: name),
                    replaces: false, of: file["bytes"]?.integer, report)
            }
            do throws(AtomicFileError) { try directory.commit() } catch { throw Self.failure(error) }
        } catch {
            directory.discard()
            throw error
        }
        report.file(path, count)
    }

    /// - Returns: the number of bytes.
    private func save(
        _ source: String, as path: String, replaces: Bool, of total: Int64?, _ report: JobReport
    ) throws(ServiceError) -> Int64 {
        let file = try Self.reserve(path, replaces: replaces)
        do throws(ServiceError) {
            let count = try fetch(source, into: file, of: total, report.console)
            do throws(AtomicFileError) {
                try file.synchronize()
                try file.commit()
            } catch { throw Self.failure(error) }
            return count
        } catch {
            file.discard()
            throw error
        }
    }

    /// Checks before a job is submitted that its output can be written.
    func checkDownload(of job: SubmitSettings, to path: String) throws(ServiceError) {
        if try isDirectory(job) {
            let path = FileName.withoutTrailingSlashes(path)
            return try Self.reserveDirectory(path, replaces: false).discard()
        }
        guard !path.hasSuffix("/"), FileStatus(path)?.kind != .directory else { return }
        try Self.reserve(path, replaces: false).discard()
    }

    /// Whether the output of a job will be a directory. The service knows the settings of a preset.
    private func isDirectory(_ job: SubmitSettings) throws(ServiceError) -> Bool {
        let preset = try job.preset.map { name throws(ServiceError) in
            try ask("GET", "/v1/presets/\(PercentEncoding.encode(name))")["settings"]?.object ?? [:]
        }
        let own = job.body()["settings"]?.object ?? [:]
        return JobSpecification.writesDirectory((preset ?? [:]).merging(own) { $1 })
    }

    /// Returns the path of a file. In an existing directory, it gets its own name.
    private static func place(_ path: String?, _ name: String) -> String {
        guard let path else { return name }
        guard path.hasSuffix("/") || FileStatus(path)?.kind == .directory else { return path }
        return path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    }

    private static func reserve(_ path: String, replaces: Bool) throws(ServiceError) -> AtomicFile {
        do throws(AtomicFileError) {
            _ = try AtomicFile.isWanted(path, replaces ? .replace : .refuse)
            return try AtomicFile.reserve(path, replaces: replaces)
        } catch { throw failure(error) }
    }

    private static func reserveDirectory(_ path: String, replaces: Bool) throws(ServiceError) -> AtomicDirectory {
        do throws(AtomicFileError) {
            _ = try AtomicDirectory.isWanted(path, replaces ? .replace : .refuse, LadderFiles.contents)
            return try AtomicDirectory.reserve(path, replaces: replaces, source: nil, LadderFiles.contents)
        } catch { throw failure(error) }
    }

    /// - Returns: the number of bytes.
    private func fetch(
        _ path: String, into file: AtomicFile, of total: Int64?, _ console: Console
    ) throws(ServiceError) -> Int64 {
        var request = request("GET", path)
        (request.timeout, request.stallTimeout, request.limit) = (0, 60, .max)
        let line = TransferLine(console, "fetching")
        defer { line.clear() }
        request.progress = { _, received in line.show(received, of: total) }
        var (count, start, problem) = (Int64(0), ResponseStart(), AtomicFileError?.none)
        let take: (RawSpan) -> Bool = { bytes in
            count += Int64(bytes.byteCount)
            start.add(bytes)
            do throws(AtomicFileError) { try file.write(bytes) } catch { problem = error }
            return problem == nil
        }
        var response: HTTPClient.Response
        do throws(HTTPClientError) { response = try client.send(request, receive: take) } catch {
            throw problem.map(Self.failure) ?? unreachable(error.message)
        }
        if response.status == 200 { return count }
        response.body = start.bytes
        throw Self.error(response)
    }

    private static func failure(_ error: AtomicFileError) -> ServiceError {
        switch error {
        case .exists(let path):
            ServiceError(.output, "output.exists", "'\(path)' exists", hint: "--overwrite replaces it")
        case .isDirectory(let path): ServiceError(.output, "output.failed", "'\(path)' is a directory")
        case .busy(let path): ServiceError(.output, "output.busy", "another process is writing '\(path)'")
        case .directory(let path, let error), .system(let path, let error), .sourceNotRemoved(let path, _, let error):
            ServiceError(.output, "output.failed", "'\(path)' cannot be written: \(error.reason)")
        case .foreignDirectory(let path):
            ServiceError(
                .output, "output.exists", "'\(path)' is a directory that contains other files",
                hint: "name a new or empty directory")
        case .fixedDirectory(let path):
            ServiceError(
                .output, "output.failed",
                "'\(path)' cannot be the output: the complete directory is renamed to this name",
                hint: "name a new directory in it")
        case .isSource(let path), .containsSource(let path), .notRegularFile(let path), .notPartialFile(let path, _):
            ServiceError(.output, "output.failed", "'\(path)' cannot be replaced")
        }
    }
}
