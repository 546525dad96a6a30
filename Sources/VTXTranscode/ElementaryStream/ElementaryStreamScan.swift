import VTXBitstream
import VTXMedia
import VTXTask

/// What has to be known of a byte stream before its first sample can be written.
struct ElementaryStreamScan {
    let codec: VideoCodec
    private(set) var order = PresentationOrder()
    private(set) var placement: ParameterSetPlacement
    /// Samples from which decoding can begin, and those that are shown as pairs of fields.
    private(set) var keyFrameCount = 0
    private(set) var fieldPairCount = 0
    /// Pictures without an access unit delimiter in front.
    private(set) var undelimitedCount = 0
    private(set) var strayByteCount: Int64 = 0

    var sampleCount: Int { order.ranks.count }

    /// Reads the whole stream.
    init(path: String, codec: VideoCodec, _ output: ElementaryStreamOutput) throws(TranscodeError) {
        self.codec = codec
        placement = ParameterSetPlacement(codec)
        var reader = try AccessUnitSampleReader(path: path, codec: codec)
        while let sample = try reader.next() {
            try output.stopIfCancelled()
            order.append(order: sample.order, beginsSequence: sample.first.beginsSequence)
            try placement.add(sample)
            if sample.isKeyFrame { keyFrameCount += 1 }
            undelimitedCount += sample.undelimitedCount
            if sample.isFieldPair { fieldPairCount += 1 }
        }
        order.finish()
        strayByteCount = reader.strayByteCount
        guard sampleCount > order.unorderedCount else {
            throw TranscodeError(.inputNoFrames, "'\(path)' holds no picture that can be read")
        }
    }
}
