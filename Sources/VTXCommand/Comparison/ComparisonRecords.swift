import VTXMedia
import VTXTask

/// The record of `vtx compare --json`.
struct ComparisonRecord: Record {
    let type = "comparison"
    let report: ComparisonReport

    private enum Key: CodingKey {
        case type
        case original
        case output
        case frames
        case metrics
        case shown
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(type, forKey: .type)
        try container.encode(FileEntry(report.original), forKey: .original)
        try container.encode(FileEntry(report.output), forKey: .output)
        try container.encode(report.frames, forKey: .frames)
        try container.encode(report.metrics, forKey: .metrics)
        if !report.shown.isEmpty { try container.encode(report.shown, forKey: .shown) }
    }

    /// One of the two files.
    private struct FileEntry: Encodable {
        let path: String
        let width: Int
        let height: Int
        let pixelFormat: String
        let bytes: Int64
        let seconds: Double
        let videoBitrate: Int64?
        let frames: Int
        let unpairedFrames: Int

        init(_ file: ComparedFile) {
            (path, width, height) = (file.path, file.size.width, file.size.height)
            (pixelFormat, bytes, seconds) = (file.pixelFormat, file.bytes, file.seconds.thousandths)
            (videoBitrate, frames, unpairedFrames) = (file.videoBitrate, file.frames, file.unpairedFrames)
        }
    }
}

/// The record of `--frames` for a pair of frames.
struct ComparedFrameRecord: Record {
    let type = "comparedFrame"
    let frame: ComparedFrame

    private enum Key: CodingKey {
        case type
        case frame
        case outputFrame
        case seconds
    }

    /// The metrics are keys next to the others.
    func encode(to encoder: any Encoder) throws {
        try frame.values.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(type, forKey: .type)
        try container.encode(frame.frame, forKey: .frame)
        try container.encode(frame.outputFrame, forKey: .outputFrame)
        try container.encode((frame.seconds * 1_000_000).rounded() / 1_000_000, forKey: .seconds)
    }
}
