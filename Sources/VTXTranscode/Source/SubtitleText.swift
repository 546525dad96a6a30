import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// Subtitle files that contain text.
enum SubtitleText {
    /// The libavformat names of their demuxers.
    private static let formats: Set = [
        "srt", "ass", "webvtt", "aqtitle", "jacosub", "lrc", "microdvd", "mpl2", "mpsub", "pjs", "realtext", "sami",
        "stl", "subviewer", "subviewer1", "vplayer",
    ]
    private static let largest = 64 << 20

    /// Checks the encoding. libavformat reads UTF-8, and UTF-16 with a byte order mark; other text comes out wrong or
    /// empty.
    ///
    /// - Parameter demuxer: Replaced by one that reads all cues, if it does not.
    /// - Returns: whether libavformat reads all cues of the file by itself.
    static func check(_ path: String, _ demuxer: inout Demuxer) throws(TranscodeError) -> Bool {
        guard formats.contains(demuxer.formatName) else { return true }
        let bytes: [UInt8]
        do { bytes = try FileDescriptor(opening: path).readAll(limit: largest) } catch {
            throw InputFile.unreadable("'\(path)'", error.code)
        }
        let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        guard !isUTF16 else { return true }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw TranscodeError(
                .inputEncoding, "the text in '\(path)' is not UTF-8",
                hint: "for Windows' Western European: iconv -f WINDOWS-1252 -t UTF-8 OLD.srt > NEW.srt")
        }
        guard demuxer.formatName == "webvtt", let cues = WebVTTBlocks.cues(of: text) else { return true }
        let count = demuxer.remainingPackets()
        do { demuxer = try Demuxer(reading: BytesInOrder(Array(cues.text.utf8)), format: "webvtt") } catch {
            throw InputFile.explain(error, path)
        }
        return count >= cues.count
    }
}

extension Demuxer {
    fileprivate func remainingPackets() -> Int {
        var count = 0
        while let _ = try? read() { count += 1 }
        return count
    }
}

/// WebVTT (W3C): a header, and blocks separated by empty lines.
enum WebVTTBlocks {
    /// Returns the text without blocks that are not cues, such as styles and regions, and the number of cues; nil if all
    /// blocks are cues. libavformat 5.1 ends at the first other one.
    static func cues(of text: String) -> (text: String, count: Int)? {
        // A line ends with LF, CR or both, which is one character in Swift.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let blocks = lines.split(whereSeparator: \.isEmpty)
        let kept = blocks.prefix(1) + blocks.dropFirst().filter { $0.contains { $0.contains("-->") } }
        guard kept.count < blocks.count else { return nil }
        return (kept.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n", kept.count - 1)
    }
}
