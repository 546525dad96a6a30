import VTXHTTP
import VTXSystem

/// A file, or the part of it that a client asks for (RFC 9110, section 14).
enum FileResponse {
    static func response(_ file: SharedFile, named name: String, range: String?) throws(Problem) -> HTTPResponse {
        let size = file.descriptor.status?.byteCount ?? 0
        let headers: [(name: String, value: String)] = [
            ("Content-Type", "application/octet-stream"), ("Accept-Ranges", "bytes"),
            ("Content-Disposition", disposition(name)),
        ]
        guard let range, let part = bytes(range, of: size) else {
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

    /// Twice (RFC 6266): curl and old clients know the plain form alone.
    private static func disposition(_ name: String) -> String {
        let plain = name.unicodeScalars.map { scalar in
            scalar.isASCII && scalar.value >= 0x20 && !"\"\\%\u{7f}".unicodeScalars.contains(scalar)
                ? String(scalar) : "_"
        }
        return "attachment; filename=\"\(plain.joined())\"; filename*=UTF-8''\(PercentEncoding.encode(name))"
    }

    /// - Returns: nil for what is no single range: then the whole file is the answer. Empty for one outside of the file.
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
