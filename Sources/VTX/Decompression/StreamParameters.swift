import VTXBitstream
import VTXMedia
import VTXSession

/// The parameter sets of a stream so far.
struct StreamParameters {
    private let codec: VideoCodec
    /// In order of arrival. The last set of each type and id applies.
    private var sets: [[UInt8]] = []
    /// The maximum number of sets: 32 SPS and 256 PPS of H.264, rounded up.
    private static let maxCount = 512

    init(codec: VideoCodec) { self.codec = codec }

    /// The picture format in the last SPS or AV1 sequence header; nil if it cannot be parsed.
    private(set) var picture: Picture?

    struct Picture: Sendable {
        var samples: PixelFormat
        var size: PixelSize
        var frameRate: Rational?
    }

    mutating func append(_ set: [UInt8]) {
        guard let nal = codec.nal else {
            (sets, picture) = ([set], readAV1(set))
            return
        }
        sets.removeAll { $0 == set }
        sets = sets.suffix(Self.maxCount - 1) + [set]
        if NALUnit(codec: nal, range: set.indices, in: set.span.bytes).isSPS { picture = read(set) }
    }

    private func readAV1(_ unit: [UInt8]) -> Picture? {
        (try? AV1SequenceHeader(unit: unit)).map {
            let samples = PixelFormat.planar($0.colorConfig.chroma, bitDepth: $0.colorConfig.bitDepth)
            return Picture(samples: samples, size: $0.maxFrameSize, frameRate: $0.frameRate)
        }
    }

    private func read(_ set: [UInt8]) -> Picture? {
        let sps: (any SequenceParameterSet)? =
            codec == .h264 ? try? H264SPS(nalUnit: set) : try? HEVCSPS(nalUnit: set)
        return sps.map {
            Picture(
                samples: .planar($0.chroma, bitDepth: $0.bitDepth), size: $0.codedSize, frameRate: $0.frameRate)
        }
    }

    /// As in a byte stream.
    var bytes: [UInt8] {
        let startCode = codec.nal == nil ? [] : AnnexB.startCode
        return sets.reduce(into: []) { $0 += startCode + $1 }
    }
}
