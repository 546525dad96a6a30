import VTXBitstream
package import VTXFFmpeg
import VTXMedia

/// What the parameter sets in a stream's header say about decoding it.
package struct DecodingTraits: Sendable, Hashable {
    /// Frames that have to be held back for their order although no header says how many; 0 where one does.
    ///
    /// libavcodec learns the number from pictures that come too late, and discards those.
    package var reorderDepth = 0
    /// What of H.264 the stream uses that no VA-API driver decodes; nil where there is nothing.
    package var softwareTool: String?

    package init() {}

    /// Where the header cannot be read, nothing is known.
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
    /// `maxReorder`, where it is inferred. Baseline streams are left to libavcodec: they have no B slices, and cameras
    /// write them, whose pictures are to come at once.
    fileprivate var untoldReorder: Int { vui?.bitstreamRestriction != nil || profileIDC == 66 ? 0 : maxReorder }

    fileprivate var softwareTool: String? {
        if profileIDC == 88 { return "the Extended profile" }
        return chromaFormat.allowsLossless ? "lossless blocks" : nil
    }
}

extension H264PPS {
    /// Tools of the Baseline and Extended profiles that Main, High and Constrained Baseline do not have (A.2).
    fileprivate var softwareTool: String? {
        if sliceGroups.countMinus1 > 0 { return "slice groups" }
        return hasRedundantPicCount ? "redundant slices" : nil
    }
}
