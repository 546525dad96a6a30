/// Into how many segments a cluster cuts the video, for its workers to encode side by side.
package enum SegmentsRequest: Sendable, Hashable {
    /// By the video's length.
    case auto
    case count(Int)

    package static let standard = SegmentsRequest.count(1)
    package static let counts = 1...64
    /// `auto`: divided by two, three or four workers, or by eight, all have as many.
    package static let standardCount = 16
    /// Seconds of a video from which on that pays: half a minute for each segment.
    package static let minSeconds = 480
}

/// The part that one process has in a video which several encode.
package enum SegmentedWork: Sendable, Hashable, Codable {
    /// Encodes one segment, counted from 1, into a file for the one that joins them.
    case segment(Int, of: Int)
    /// Waits for the files of all segments in a directory, and makes the output of them.
    case join(directory: String)

    package var isSegment: Bool { if case .segment = self { true } else { false } }
    package var isJoin: Bool { if case .join = self { true } else { false } }

    /// A file's name among those of all segments.
    ///
    /// - Parameters:
    ///   - number: counts from 1.
    ///   - output: the name of the whole; its extension chooses the container.
    package static func fileName(_ number: Int, of output: String) -> String {
        let dot = output.lastIndex(of: ".") ?? output.endIndex
        return "segment-\(number)\(output[dot...])"
    }
}
