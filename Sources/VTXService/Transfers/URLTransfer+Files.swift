import Glibc
import VTXHTTP
import VTXJobs
import VTXSystem

extension URLTransfer {
    private static let maxRedirects = 5

    /// Fetches a source.
    ///
    /// - Parameters:
    ///   - directory: for the source alone.
    ///   - report: told how many bytes have come.
    /// - Returns: the file; one that is there already is taken, since it has its name only when it is whole.
    func fetch(
        _ url: String, into directory: String, _ control: RunControl, report: @escaping (Int64) -> Void
    ) throws -> String {
        let path = "\(directory)/\(ClientFileName.plain(ofURL: url))"
        if FileStatus(path, followsLinks: false)?.kind == .regular { return path }
        let partial = "\(directory)/.partial"
        do {
            try Directory.make(directory)
            let file = try FileDescriptor(
                opening: partial, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, permissions: 0o600)
            try download(url, file, control, report)
            try file.synchronize()
            try OpenDirectory(directory).rename(".partial", to: FileName.directory(of: path).name, replaces: true)
        } catch let error as SystemError { throw Failure.output(error, path) }
        return path
    }

    /// Each step of a redirect is held to the rules.
    private func download(
        _ url: String, _ file: borrowing FileDescriptor, _ control: RunControl, _ report: @escaping (Int64) -> Void
    ) throws {
        var url = url
        for _ in 0...Self.maxRedirects {
            // What a server has sent with a redirect is no source.
            try file.truncate(to: 0)
            try file.seek(to: 0)
            let response = try get(url, file, control, report)
            switch response.status {
            case 200: return
            case 301, 302, 303, 307, 308:
                guard let place = response.headers["location"], let parts = URLParts(url) else {
                    throw refusal(response, "source", .source)
                }
                url = parts.following(place)
            default: throw refusal(response, "source", .source)
            }
        }
        throw Failure(.source, "url.redirects", "the source's URL leads from one to the next without end")
    }

    private func get(
        _ url: String, _ file: borrowing FileDescriptor, _ control: RunControl, _ report: @escaping (Int64) -> Void
    ) throws -> HTTPClient.Response {
        var request = try request("GET", url, "source")
        request.limit = limit
        let number = file.number
        var (count, failure) = (Int64(0), SystemError?.none)
        do {
            return try send(request, "source", control) { bytes in
                count += Int64(bytes.byteCount)
                report(count)
                do throws(SystemError) { try FileDescriptor.writeAll(bytes, to: number) } catch { failure = error }
                return failure == nil
            }
        } catch { throw failure ?? error }
    }

    /// Sends an output.
    func put(_ file: SharedFile, to url: String, _ control: RunControl) throws {
        var request = try request("PUT", url, "output")
        request.file = file
        let response = try send(request, "output", control)
        guard (200...299).contains(response.status) else { throw refusal(response, "output", .output) }
    }
}
