package import VTXMedia

/// All that a container is told of a stream.
package struct OutputStreamDescription: Sendable {
    package var parameters: CodecParameters
    /// The unit in which the packets count; the container may choose another for the file.
    package var timeBase: Rational
    /// Four characters as the QuickTime family packs them; 0 lets the container choose.
    package var codecTag: UInt32 = 0
    package var disposition: Disposition = []
    package var metadata: [MetadataEntry] = []
    package var frameRate = Rational(0, 1)
    package var sampleAspectRatio = Rational(0, 1)
    package var color: ColorDescription?
    package var displayMatrix: DisplayMatrix?
    package var hdrMetadata = HDRMetadata()
    /// Samples before the first one to be heard; nil leaves what `parameters` say.
    package var initialPadding: Int?
    /// A stream to copy all stream-wide extra data from; for streams that pass through.
    package var sideDataSource: (demuxer: Demuxer, index: Int)?

    package init(parameters: CodecParameters, timeBase: Rational) {
        self.parameters = parameters
        self.timeBase = timeBase
    }

    /// `hvc1` as the number that containers store.
    package static func tag(_ name: StaticString) -> UInt32 {
        name.withUTF8Buffer { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }
}
