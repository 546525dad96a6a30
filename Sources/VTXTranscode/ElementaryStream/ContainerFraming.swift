import VTXBitstream
import VTXFFmpeg
import VTXMedia

/// How a container holds a video's NAL units: what libavformat says of it, and the parameter sets of higher layers in
/// MP4, which it passes over.
struct ContainerFraming {
    private let codec: VideoCodec
    private let isSelfContained: Bool
    private let boxes: SampleEntryBoxes?

    /// - Parameter input: the file's path; `-` is standard input.
    init(_ demuxer: Demuxer, _ codec: VideoCodec, of input: String) {
        self.codec = codec
        isSelfContained = demuxer.isSelfContained
        boxes = codec == .hevc && demuxer.isMP4 ? SampleEntryBoxes(path: input == "-" ? "/dev/stdin" : input) : nil
    }

    /// - Parameter extradata: the stream's, or a packet's new one.
    /// - Throws: where the record, or that of the layers, cannot be read.
    func framing(_ extradata: [UInt8]) throws(BitstreamError) -> NALFraming {
        var framing = try NALFraming(extradata: extradata, codec: codec, isSelfContained: isSelfContained)
        if let layers = boxes?.contents(of: "lhvC", beside: extradata, in: "hvcC") {
            framing.add(try LHEVCDecoderConfigurationRecord(layers))
        }
        return framing
    }
}

extension Demuxer {
    /// True where packets hold all there is: transport streams can be entered anywhere, byte streams have no header.
    fileprivate var isSelfContained: Bool { hasDiscontinuities || hasNoTimestamps }

    /// MP4, QuickTime and their family.
    var isMP4: Bool { formatName.hasPrefix("mov,") }
}
