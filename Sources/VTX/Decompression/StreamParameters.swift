import VTXBitstream
import VTXMedia
import VTXSession

/// The parameter sets of a stream so far, as bytes.
struct StreamParameters {
    private let codec: NALCodec
    /// In the order in which they came; the last one of a type and id counts, for a reader in this order.
    private var sets: [[UInt8]] = []
    /// There cannot be more: 32 SPS and 256 PPS of H.264.
    private static let maxCount = 512

    init(codec: NALCodec) { self.codec = codec }

    /// What the last SPS says of the pictures; nil where it cannot be read.
    private(set) var picture: Picture?

    struct Picture: Sendable {
        var samples: PixelFormat
        var size: PixelSize
        var frameRate: Rational?
    }

    mutating func append(_ set: [UInt8]) {
        sets.removeAll { $0 == set }
        sets = sets.suffix(Self.maxCount - 1) + [set]
        if NALUnit(codec: codec, range: set.indices, in: set.span.bytes).isSPS { picture = read(set) }
    }

    private func read(_ set: [UInt8]) -> Picture? {
        let sps: (any SequenceParameterSet)? =
            codec == .h264 ? try? H264SPS(nalUnit: set) : try? HEVCSPS(nalUnit: set)
        return sps.map {
            Picture(
                samples: .planar($0.chroma, bitDepth: $0.bitDepth), size: $0.codedSize, frameRate: $0.frameRate)
        }
    }

    var annexB: [UInt8] { sets.reduce(into: []) { $0 += AnnexB.startCode + $1 } }
}

extension AccessUnit {
    var gateInfo: RandomAccessGate.AccessUnitInfo {
        var info = RandomAccessGate.AccessUnitInfo()
        let slice = units.first(where: \.isVCL)
        info.isPicture = slice != nil
        info.isRandomAccess = summary.isKeyFrame || slice?.codec == .h264 && summary.recoveryPoint != nil
        info.isSkippedLeading = slice?.hevcType == .raslN || slice?.hevcType == .raslR
        info.hasNewParameterSets = !summary.changedParameterSets.isEmpty
        return info
    }

    /// The parameter sets that are new.
    var newParameterSets: [[UInt8]] {
        summary.changedParameterSets.filter(units.indices.contains).map { bytes.span.bytes.copy(units[$0].range) }
    }
}
