import CFFmpeg
package import VTXMedia

extension PixelFormat {
    init(_ format: AVPixelFormat) {
        let index = Int(format.rawValue)
        self = Self.known.indices.contains(index) ? Self.known[index] : PixelFormat(describing: format)
    }

    /// Every frame is asked for its format, and names are slow to make.
    private static let known = (0..<AV_PIX_FMT_NB.rawValue).map { PixelFormat(describing: AVPixelFormat($0)) }

    private init(describing format: AVPixelFormat) {
        guard let descriptor = av_pix_fmt_desc_get(format)?.pointee else {
            self.init(name: "none", chroma: .yuv420, bitDepth: 0)
            return
        }
        let flags = descriptor.flags
        self.init(
            name: String(cString: descriptor.name),
            chroma: Self.chroma(descriptor),
            bitDepth: Int(descriptor.comp.0.depth),
            isRGB: flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0,
            hasAlpha: flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0,
            impliesFullRange: format.withoutFullRange != nil)
    }

    private static func chroma(_ descriptor: AVPixFmtDescriptor) -> ChromaSampling {
        if descriptor.nb_components < 3 { return .monochrome }
        switch (descriptor.log2_chroma_w, descriptor.log2_chroma_h) {
        case (1, 1): return .yuv420
        case (1, 0): return .yuv422
        case (0, 0): return .yuv444
        // 4:1:1, 4:1:0 and 4:4:0 have no place in H.264 and HEVC; 4:2:0 is what they become.
        default: return .yuv420
        }
    }

    /// The format with this name; nil where libavutil does not know it.
    package init?(named name: String) {
        let format = av_get_pix_fmt(name)
        guard format != AV_PIX_FMT_NONE else { return nil }
        self.init(format)
    }

    var avFormat: AVPixelFormat { av_get_pix_fmt(name) }
}

extension AVPixelFormat {
    /// The same samples with the range said apart; nil for a format that does not say it.
    var withoutFullRange: AVPixelFormat? {
        switch self {
        case AV_PIX_FMT_YUVJ420P: AV_PIX_FMT_YUV420P
        case AV_PIX_FMT_YUVJ422P: AV_PIX_FMT_YUV422P
        case AV_PIX_FMT_YUVJ444P: AV_PIX_FMT_YUV444P
        case AV_PIX_FMT_YUVJ440P: AV_PIX_FMT_YUV440P
        case AV_PIX_FMT_YUVJ411P: AV_PIX_FMT_YUV411P
        default: nil
        }
    }
}

// libavutil numbers colors as H.273 does; range and chroma location are shifted by one for "unspecified".
extension ColorDescription {
    init(
        primaries: AVColorPrimaries, transfer: AVColorTransferCharacteristic, matrix: AVColorSpace,
        range: AVColorRange, location: AVChromaLocation
    ) {
        self.init(
            primaries: Self.code(primaries.rawValue), transfer: Self.code(transfer.rawValue),
            matrix: Self.code(matrix.rawValue, zeroIsValid: true),
            isFullRange: range == AVCOL_RANGE_UNSPECIFIED ? nil : range == AVCOL_RANGE_JPEG,
            chromaLocation: location == AVCHROMA_LOC_UNSPECIFIED ? nil : Int(location.rawValue) - 1)
    }

    /// 0 is reserved for primaries and transfer, and RGB for the matrix.
    private static func code(_ raw: UInt32, zeroIsValid: Bool = false) -> Int {
        raw == 0 && !zeroIsValid ? unspecifiedCode : Int(raw)
    }

    var avPrimaries: AVColorPrimaries { AVColorPrimaries(UInt32(clamping: primaries)) }
    var avTransfer: AVColorTransferCharacteristic { AVColorTransferCharacteristic(UInt32(clamping: transfer)) }
    var avMatrix: AVColorSpace { AVColorSpace(UInt32(clamping: matrix)) }

    var avRange: AVColorRange {
        isFullRange.map { $0 ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG } ?? AVCOL_RANGE_UNSPECIFIED
    }

    var avChromaLocation: AVChromaLocation {
        chromaLocation.map { AVChromaLocation(UInt32(clamping: $0 &+ 1)) } ?? AVCHROMA_LOC_UNSPECIFIED
    }
}
