package import VTXMedia
package import VTXSystem

/// Takes a container's video out as a byte stream (Annex B); nothing is coded again.
///
/// The stream has each packet's NAL units, in order, after start codes of four bytes. Parameter sets that only the
/// container's record holds stand before the first picture, after its access unit delimiter if there is one.
package struct ExtractJob: Sendable, Hashable, Codable {
    package var input: String
    /// nil: a name beside the input.
    package var output: String?
    package var overwrite: OverwritePolicy = .refuse
    /// Which of the moving video streams, from 0.
    package var videoPosition = 0
    /// Leave out access unit delimiters, which MPEG-TS demands and others do not need.
    package var dropsDelimiters = false

    package init(input: String) { self.input = input }
}

/// Puts a byte stream (Annex B) into a container; nothing is coded again, and no NAL unit is lost. With other files beside
/// it, it may be a container itself.
///
/// It reads the stream twice: how far decoding has to be ahead of presentation, and whether parameter sets come again,
/// is known at its end, and belongs in the container's beginning.
package struct MuxJob: Sendable, Hashable, Codable {
    package var input: String
    package var output: String
    /// Files whose audio and subtitles go into the output too, each as an `AddedFile`'s text.
    package var additions: [String] = []
    package var overwrite: OverwritePolicy = .refuse
    /// Frames a second; nil takes what the stream says.
    package var frameRate: Rational?
    package var parameterSets = ParameterSetPolicy.auto

    package enum ParameterSetPolicy: String, Sendable, Hashable, CaseIterable, Codable {
        /// In the container's record where that loses nothing, else in the samples.
        case auto
        /// In the record: those that come again, without a change, are left out.
        case record
    }

    package init(input: String, output: String) {
        self.input = input
        self.output = output
    }
}

/// Lists the NAL units of a file or a pipe, in memory that does not grow with it.
package struct NALDump: Sendable, Hashable, Codable {
    /// `-` is standard input.
    package var input: String
    /// Which of a container's moving video streams, from 0.
    package var videoPosition = 0
    /// What a byte stream holds, where it does not tell itself.
    package var codec: NALCodec?
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
        package var codec: NALCodec
        /// libavformat's name of the container; nil for a byte stream.
        package var container: String?
        /// Bytes of the lengths before NAL units; nil where there are start codes.
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
