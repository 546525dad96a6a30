package import VTXMedia

/// Lists the NAL units of a file or a pipe, in memory that does not grow with it.
package struct NALDump: Sendable, Hashable, Codable {
    /// `-` is standard input.
    package var input: String
    /// Which of a container's moving video streams, from 0.
    package var videoPosition = 0
    /// What a byte stream holds, where it does not tell itself.
    package var codec: VideoCodec?
    package var form = Form.text

    /// How the list is written.
    package enum Form: String, Sendable, Hashable, Codable {
        /// Columns, for people.
        case text
        /// Records, one a line.
        case json
    }

    package init(input: String) { self.input = input }

    /// What the listing is of; it comes first.
    package struct Stream: Sendable {
        package var codec: VideoCodec
        /// libavformat's name of the container; nil for a byte stream.
        package var container: String?
        /// Bytes of the lengths before NAL units; nil where there are start codes.
        package var lengthSize: Int?

        package init(codec: VideoCodec, container: String? = nil, lengthSize: Int? = nil) {
            self.codec = codec
            self.container = container
            self.lengthSize = lengthSize
        }
    }

    package enum Event: Sendable {
        case stream(Stream)
        case unit(NALUnitInfo)
        case notice(Notice)
    }
}
