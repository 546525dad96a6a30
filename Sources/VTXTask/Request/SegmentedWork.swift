/// The number of segments into which a cluster splits the video, for its workers to encode in parallel.
package enum SegmentsRequest: Sendable, Hashable {
    /// Chosen by the video's duration.
    case auto
    case count(Int)

    package static let standard = SegmentsRequest.count(1)
    package static let counts = 1...64
    /// The number for `auto`: evenly divisible among two, four or eight workers, and nearly so among three.
    package static let standardCount = 16
    /// The minimum duration for splitting, in seconds: half a minute per segment.
    package static let minSeconds = 480
}

/// The part of one process in a video that several processes encode.
package enum SegmentedWork: Sendable, Hashable, Codable {
    /// Encodes one segment, counted from 1, into a file for the process that joins them.
    case segment(Int, of: Int)
    /// Waits for the files of all segments in a directory, and joins them into the output.
    case join(directory: String)

    package var isSegment: Bool { if case .segment = self { true } else { false } }
    package var isJoin: Bool { if case .join = self { true } else { false } }

    /// Returns the name of a segment's file.
    ///
    /// - Parameters:
    ///   - number: The segment, from 1.
    ///   - output: The name of the final output, whose extension determines the container.
    package static func fileName(_ number: Int, of output: String) -> String {
        let dot = output.lastIndex(of: ".") ?? output.endIndex
        return "segment-\(number)\(output[dot...])"
    }
}
