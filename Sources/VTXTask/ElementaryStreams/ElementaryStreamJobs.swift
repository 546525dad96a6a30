package import VTXMedia
package import VTXSystem

/// Extracts a container's video as a byte stream (Annex B) without re-encoding.
///
/// The stream contains each packet's NAL units, in order, after four-byte start codes. Parameter sets that are only in
/// the container's header precede the first picture, after its access unit delimiter if there is one.
package struct ExtractJob: Sendable, Hashable, Codable {
    package var input: String
    /// The path; nil for a name next to the input.
    package var output: String?
    package var overwrite: OverwritePolicy = .refuse
    /// The index among the video streams other than cover art, from 0.
    package var videoPosition = 0
    /// Whether to omit access unit delimiters, which only MPEG-TS requires.
    package var dropsDelimiters = false

    package init(input: String) { self.input = input }
}

/// Muxes a byte stream (Annex B) without re-encoding or losing NAL units. With additional files, it may also be a
/// container.
///
/// The stream is read twice: how far decoding must precede presentation, and whether parameter sets are repeated, is
/// known only at its end, but needed for the container's header.
package struct MuxJob: Sendable, Hashable, Codable {
    package var input: String
    package var output: String
    /// Files whose audio and subtitles are added to the output, each in the text form of an `AddedFile`.
    package var additions: [String] = []
    package var overwrite: OverwritePolicy = .refuse
    /// Frames per second; nil for the frame rate in the stream.
    package var frameRate: Rational?
    package var parameterSets = ParameterSetPolicy.auto

    package enum ParameterSetPolicy: String, Sendable, Hashable, CaseIterable, Codable {
        /// In the container's configuration record if that loses nothing, else in the samples.
        case auto
        /// In the record. Unchanged repetitions are omitted.
        case record
    }

    package init(input: String, output: String) {
        self.input = input
        self.output = output
    }
}

/// Lists the NAL units of a file or a pipe in constant memory.
package struct NALDump: Sendable, Hashable, Codable {
    /// The path; `-` for standard input.
    package var input: String
    /// The index among a container's video streams other than cover art, from 0.
    package var videoPosition = 0
    /// The codec of a byte stream, if it cannot be detected.
    package var codec: NALCodec?
    package var form = Form.text

    /// The format of the list.
    package enum Form: String, Sendable, Hashable, Codable {
        /// Columns, for reading.
        case text
        /// Records, one per line.
        case json
    }

    package init(input: String) { self.input = input }

    /// The description of the stream, which precedes the list.
    package struct Stream: Sendable {
        package var codec: NALCodec
        /// libavformat's name of the container; nil for a byte stream.
        package var container: String?
        /// The size of the length field before each NAL unit, in bytes; nil for start codes.
        package var lengthSize: Int?

        package init(codec: NALCodec, container: String? = nil, lengthSize: Int? = nil) {
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
