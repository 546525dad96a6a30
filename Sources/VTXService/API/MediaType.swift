import VTXSystem

/// The media types of files, by their extensions.
enum MediaType {
    /// Returns the type of what players read (RFC 8216, section 10; ISO/IEC 23009-1, annex C); nil for other files.
    static func of(_ name: String) -> String? { players[FileName.split(name).pathExtension.lowercased()] }

    /// Also of pages and what they contain.
    static func onPages(_ name: String) -> String? {
        of(name) ?? pages[FileName.split(name).pathExtension.lowercased()]
    }

    private static let players = [
        "m3u8": playlist, "mpd": "application/dash+xml", "mp4": "video/mp4", "m4v": "video/mp4", "m4a": "audio/mp4",
        "m4s": "video/iso.segment", "ts": "video/mp2t", "aac": "audio/aac", "vtt": "text/vtt", "jpg": "image/jpeg",
    ]

    private static let pages = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "mjs": "text/javascript; charset=utf-8", "map": "application/json", "json": "application/json",
        "wasm": "application/wasm", "png": "image/png", "jpeg": "image/jpeg", "webp": "image/webp",
        "svg": "image/svg+xml", "ico": "image/x-icon",
    ]

    static let playlist = "application/vnd.apple.mpegurl"
}
