import VTXSystem

/// The pages of an Ogg file (RFC 3533 6). Pure.
enum OggPage {
    private static let capturePattern = Array("OggS".utf8)
    private static let headerSize = 27
    /// The size of the longest page: 255 segments of 255 bytes.
    private static let longest = headerSize + 255 + 255 * 255

    /// Whether a file ends within a page. A file that cannot be read does not.
    static func isCut(inFile path: String) -> Bool {
        guard let file = try? FileDescriptor(opening: path), let byteCount = file.status?.byteCount,
            let tail = try? file.read(at: max(0, byteCount - Int64(longest)), upTo: longest)
        else { return false }
        return isCut(in: tail)
    }

    /// - Parameter tail: The end of a file, from before its last page.
    static func isCut(in tail: [UInt8]) -> Bool {
        let last = tail.indices.last { tail[$0] == capturePattern[0] && tail[$0...].starts(with: capturePattern) }
        guard let last else { return false }
        let page = tail[last...]
        guard page.count >= headerSize else { return true }
        let segments = page.dropFirst(headerSize).prefix(Int(page[last + 26]))
        let size = headerSize + Int(page[last + 26]) + segments.reduce(0) { $0 + Int($1) }
        return page.count < size
    }
}
