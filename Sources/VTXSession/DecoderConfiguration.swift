package import VTXBitstream
package import VTXFFmpeg
import VTXMedia

/// The settings of a decoder.
package struct DecoderConfiguration: Sendable {
    package var stream: InputStream

    /// Whether each frame comes out as soon as display order allows, without decoding frames in parallel.
    package var isRealTime = false

    /// The number of threads of a software decoder; nil for all cores.
    package var threads: Int?

    package let traits: DecodingTraits

    package init(stream: InputStream) {
        self.stream = stream
        traits = DecodingTraits(stream.parameters)
    }

    /// The reorder depth. In real time it is detected from the order of the pictures instead.
    package var reorderDepth: Int { isRealTime ? 0 : traits.reorderDepth }

    package var isH264: Bool { stream.parameters.codecName == VideoCodec.h264.rawValue }
}

/// What a stream's parameter sets say about decoding it.
package struct DecodingTraits: Sendable, Hashable {
    /// The reorder depth if the headers do not declare it; 0 if they do.
    ///
    /// libavcodec would learn the depth from frames that come too late, and drop those.
    package var reorderDepth = 0
    /// An H.264 coding tool of the stream that no VA-API driver supports; nil for none.
    package var softwareTool: String?

    package init() {}

    /// Creates empty traits if the header cannot be parsed.
    package init(_ parameters: CodecParameters) {
        guard parameters.codecName == VideoCodec.h264.rawValue,
            let units = try? NALFraming(extradata: parameters.extradata, codec: .h264).units
        else { return }
        var sets = H264ParameterSets()
        for unit in units { _ = sets.insert(unit.span.bytes) }
        reorderDepth = sets.sps.values.map(\.untoldReorder).max() ?? 0
        softwareTool =
            sets.sps.values.compactMap(\.softwareTool).first ?? sets.pps.values.compactMap(\.softwareTool).first
    }
}

extension H264SPS {
    /// `maxReorder` if it is inferred. libavcodec handles Baseline streams, which have no B slices: cameras produce
    /// them, and their frames are to come out immediately.
    fileprivate var untoldReorder: Int { vui?.bitstreamRestriction != nil || profileIDC == 66 ? 0 : maxReorder }

    fileprivate var softwareTool: String? {
        if profileIDC == 88 { return "the Extended profile" }
        return chromaFormat.allowsLossless ? "lossless blocks" : nil
    }
}

extension H264PPS {
    /// Coding tools of the Baseline and Extended profiles that Main, High and Constrained Baseline do not have (A.2).
    fileprivate var softwareTool: String? {
        if sliceGroups.countMinus1 > 0 { return "slice groups" }
        return hasRedundantPicCount ? "redundant slices" : nil
    }
}

extension PictureDependency {
    /// Creates the dependency from the access unit alone; its display order and lost units before it may add to it.
    package init(_ summary: AccessUnit.Summary) {
        self.init()
        isIntra = summary.sliceType == .i
        isReference = summary.isReference
        hasGap = summary.hasFrameNumGap
        recoveryCount = summary.isKeyFrame ? 0 : summary.recoveryPoint.map { max(0, $0) }
    }
}
