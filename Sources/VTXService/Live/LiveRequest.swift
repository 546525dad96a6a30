import VTXHTTP
import VTXPlaylist
import VTXSystem

/// A request for a file of a live server's directory.
struct LiveRequest: Sendable {
    let http: HTTPRequest
    /// Below the directory, never empty.
    let path: String
    let mediaType: String
    /// What the playlist has to contain before it is sent; nil for its current version.
    let position: ServedPlaylist.Position?
    /// The origin whose pages may read the response: `*` for all, nil for none.
    let origin: String?

    init(_ http: HTTPRequest, origin: String?) throws(Problem) {
        guard let segments = http.segments, let query = http.query else {
            throw Problem(400, "request.invalid", "the path or the query has an invalid escape")
        }
        // A directory's own page.
        let names = segments.last == "" ? segments.dropLast() + ["index.html"] : segments
        guard names.allSatisfy(Self.isServed), let type = names.last.flatMap(MediaType.onPages) else {
            throw Problem.missingFile(http.path)
        }
        (self.http, self.origin) = (http, origin)
        path = names.joined(separator: "/")
        mediaType = type
        position = type == MediaType.playlist ? try Self.position(query) : nil
    }

    var isPlaylist: Bool { mediaType == MediaType.playlist }
    var directory: String { Self.directory(of: path) }
    var name: String { FileName.directory(of: path).name }

    /// Returns the directory of a path below another one; empty for that one.
    static func directory(of path: String) -> String {
        path.contains("/") ? FileName.directory(of: path).directory : ""
    }

    /// Hidden files, which incomplete ones are too, are not served; nor does a name lead to another directory.
    private static func isServed(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && !name.contains("/")
    }

    /// RFC 8216bis, 6.2.5.2.
    private static func position(_ query: [(name: String, value: String)]) throws(Problem) -> ServedPlaylist.Position? {
        let (segment, part) = (try number("_HLS_msn", query), try number("_HLS_part", query))
        guard let segment else {
            guard part == nil else { throw Problem(400, "playlist.position", "_HLS_part requires _HLS_msn") }
            return nil
        }
        return ServedPlaylist.Position(segment: segment, part: part)
    }

    private static func number(
        _ name: String, _ query: [(name: String, value: String)]
    ) throws(Problem) -> Int? {
        let values = query.filter { $0.name == name }.map(\.value)
        guard let value = values.first else { return nil }
        guard values.count == 1, value.allSatisfy({ "0123456789".contains($0) }), let number = Int(value) else {
            throw Problem(400, "playlist.position", "\(name) is a number, such as \(name)=7")
        }
        return number
    }
}

extension Problem {
    static func missingFile(_ path: String) -> Problem {
        Problem(404, "file.notFound", "'\(path)' does not exist, or is not served")
    }
}

extension HTTPResponse {
    /// - Parameter origin: The origin whose pages may read it: `*` for all, nil for none.
    func published(for origin: String?) -> HTTPResponse {
        var response = self
        response.headers.append(("X-Content-Type-Options", "nosniff"))
        if let origin { response.headers.append(("Access-Control-Allow-Origin", origin)) }
        if origin != "*" { response.headers.append(("Vary", "Origin")) }
        if !response.headers.contains(where: { $0.name == "Cache-Control" }) {
            response.headers.append(("Cache-Control", "no-cache"))
        }
        return response
    }
}
