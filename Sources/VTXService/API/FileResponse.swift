import VTXHTTP
import VTXSystem

/// A response with a file, or with the range that a client requests (RFC 9110, sections 13 and 14).
enum FileResponse {
    /// The use of a file.
    enum Use {
        /// It is saved under a name.
        case attachment(String)
        /// It is played; its name tells its type.
        case media(String)
        /// It is sent to any page's player, with these headers.
        case published([(name: String, value: String)])
    }

    static func response(_ file: SharedFile, as use: Use, to request: HTTPRequest) throws(Problem) -> HTTPResponse {
        let status = file.descriptor.status
        let (size, tag) = (status?.byteCount ?? 0, tag(status))
        let headers = headers(use) + [(name: "Accept-Ranges", value: "bytes"), (name: "ETag", value: tag)]
        if isKnown(tag, request) { return HTTPResponse(304, headers: headers) }
        guard let part = range(request, tag).flatMap({ bytes($0, of: size) }) else {
            return HTTPResponse(200, headers: headers, body: .file(file, offset: 0, count: size))
        }
        guard !part.isEmpty else {
            var problem = Problem(416, "range.outside", "the file has \(size) bytes")
            problem.headers = [("Content-Range", "bytes */\(size)")]
            throw problem
        }
        let place = ("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)")
        return HTTPResponse(
            206, headers: headers + [(name: place.0, value: place.1)],
            body: .file(file, offset: part.lowerBound, count: Int64(part.count)))
    }

    private static func headers(_ use: Use) -> [(name: String, value: String)] {
        switch use {
        case .attachment(let name):
            [("Content-Type", "application/octet-stream"), ("Content-Disposition", disposition(name))]
        case .media(let name):
            [("Content-Type", MediaType.of(name) ?? "application/octet-stream"), ("Cache-Control", caching(name))]
        case .published(let headers): headers
        }
    }

    /// Another file under the name has another tag.
    private static func tag(_ status: FileStatus?) -> String {
        "\"\(String(status?.modificationTime ?? 0, radix: 36))-\(String(status?.byteCount ?? 0, radix: 36))\""
    }

    /// Whether the client has the file already.
    private static func isKnown(_ tag: String, _ request: HTTPRequest) -> Bool {
        let tags = request.header("if-none-match")?.split { ", ".contains($0) } ?? []
        return tags.contains { $0 == "*" || $0 == tag || $0 == "W/" + tag }
    }

    /// Returns the requested range, unless the client has a part of another file.
    private static func range(_ request: HTTPRequest, _ tag: String) -> String? {
        [nil, tag].contains(request.header("if-range")) ? request.header("range") : nil
    }

    /// A playlist is checked each time; the media of a job never change.
    private static func caching(_ name: String) -> String {
        ["m3u8", "mpd"].contains(FileName.split(name).pathExtension) ? "private, no-cache" : "private, max-age=86400"
    }

    /// Contains the name in two forms (RFC 6266), because curl and old clients support only the plain one.
    private static func disposition(_ name: String) -> String {
        let plain = name.unicodeScalars.map { scalar in
            scalar.isASCII && scalar.value >= 0x20 && !"\"\\%\u{7f}".unicodeScalars.contains(scalar)
                ? String(scalar) : "_"
        }
        return "attachment; filename=\"\(plain.joined())\"; filename*=UTF-8''\(PercentEncoding.encode(name))"
    }

    /// - Returns: nil for anything other than a single range, for which the response is the whole file. Empty for a
    ///   range outside the file.
    static func bytes(_ text: String, of size: Int64) -> Range<Int64>? {
        guard text.hasPrefix("bytes="), !text.contains(",") else { return nil }
        let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.allSatisfy { "0123456789".contains($0) } }) else { return nil }
        switch (Int64(parts[0]), Int64(parts[1])) {
        case (let first?, let last?): return last < first ? nil : clamped(first, last, size)
        case (let first?, nil): return parts[1].isEmpty ? clamped(first, size - 1, size) : nil
        case (nil, let count?): return parts[0].isEmpty ? clamped(max(0, size - count), size - 1, size) : nil
        case (nil, nil): return nil
        }
    }

    private static func clamped(_ first: Int64, _ last: Int64, _ size: Int64) -> Range<Int64> {
        guard first < size, first <= last else { return 0..<0 }
        return first..<min(last, size - 1) + 1
    }
}
