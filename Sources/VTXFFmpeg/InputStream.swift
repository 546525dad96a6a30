package import VTXMedia

/// A stream of an opened file, as its headers and first packets describe it.
package struct InputStream: Sendable {
    package var index: Int
    package var parameters: CodecParameters
    package var timeBase: Rational
    /// In ticks of `timeBase`.
    package var startTime: Int64?
    /// In ticks of `timeBase`; containers lie about it.
    package var duration: Int64?
    /// How many packets the container's index lists; 0 where it has none.
    package var frameCount: Int
    package var averageFrameRate: Rational
    /// The lowest rate at which all timestamps can be shown exactly, libavformat's guess.
    package var realFrameRate: Rational
    package var sampleAspectRatio: Rational
    package var disposition: Disposition
    package var metadata: [MetadataEntry]
    package var displayMatrix: DisplayMatrix?
    package var hdrMetadata: HDRMetadata
    /// A cover picture's bytes; empty for other streams.
    package var attachedPicture: [UInt8]
    /// Kinds of stream-wide extra data, by libavcodec's names, for example `DOVI configuration record`.
    package var sideDataKinds: [String]

    package var kind: StreamKind { parameters.kind }
    package var language: String? { metadata["language"] }
    /// Enough of it has been seen to know its coding and its form.
    package var isKnown: Bool {
        switch kind {
        case .audio: parameters.sampleRate > 0 && parameters.channelCount > 0
        case .video: parameters.size.width > 0 && parameters.size.height > 0
        case .subtitle, .data, .attachment: true
        }
    }
    package var isCoverArt: Bool { disposition.contains(.attachedPicture) }
}

extension InputStream {
    /// A stream without a container: all that is known are its parameter sets, in Annex B.
    package init(_ codec: VideoCodec, parameterSets: [UInt8], timeBase: Rational) throws(FFmpegError) {
        self.init(
            index: 0, parameters: try CodecParameters(video: codec, extradata: parameterSets), timeBase: timeBase,
            frameCount: 0, averageFrameRate: Rational(0, 1), realFrameRate: Rational(0, 1),
            sampleAspectRatio: Rational(0, 1), disposition: [], metadata: [], hdrMetadata: HDRMetadata(),
            attachedPicture: [], sideDataKinds: [])
    }
}

/// A named part of a file.
package struct Chapter: Sendable, Hashable {
    package var id: Int64
    package var start: MediaTime
    package var end: MediaTime
    package var metadata: [MetadataEntry]

    package init(id: Int64, start: MediaTime, end: MediaTime, metadata: [MetadataEntry]) {
        self.id = id
        self.start = start
        self.end = end
        self.metadata = metadata
    }
}
