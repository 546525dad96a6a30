import CV4L2
import VTXMedia

extension ColorDescription {
    /// Converts a camera's V4L2 color description to H.273. Defaults are those documented for the color space.
    init(colorspace: UInt32, transfer: UInt32, matrix: UInt32, quantization: UInt32) {
        let space = v4l2_colorspace(rawValue: colorspace)
        self.init(
            primaries: Self.primaries(space), transfer: Self.transfer(space, transfer),
            matrix: Self.matrix(space, matrix),
            isFullRange: quantization == V4L2_QUANTIZATION_FULL_RANGE.rawValue
                || quantization == V4L2_QUANTIZATION_DEFAULT.rawValue && space == V4L2_COLORSPACE_JPEG)
    }

    private static func primaries(_ space: v4l2_colorspace) -> Int {
        switch space {
        case V4L2_COLORSPACE_SMPTE170M, V4L2_COLORSPACE_SMPTE240M: 6
        case V4L2_COLORSPACE_470_SYSTEM_BG: 5
        case V4L2_COLORSPACE_BT2020: 9
        default: 1
        }
    }

    private static func transfer(_ space: v4l2_colorspace, _ transfer: UInt32) -> Int {
        switch transfer {
        case V4L2_XFER_FUNC_709.rawValue: return 1
        case V4L2_XFER_FUNC_SRGB.rawValue: return 13
        default: return space == V4L2_COLORSPACE_SRGB || space == V4L2_COLORSPACE_JPEG ? 13 : 1
        }
    }

    private static func matrix(_ space: v4l2_colorspace, _ matrix: UInt32) -> Int {
        switch matrix {
        case V4L2_YCBCR_ENC_601.rawValue, V4L2_YCBCR_ENC_XV601.rawValue: return 6
        case V4L2_YCBCR_ENC_709.rawValue, V4L2_YCBCR_ENC_XV709.rawValue: return 1
        case V4L2_YCBCR_ENC_BT2020.rawValue: return 9
        default: return space == V4L2_COLORSPACE_REC709 ? 1 : space == V4L2_COLORSPACE_BT2020 ? 9 : 6
        }
    }
}
