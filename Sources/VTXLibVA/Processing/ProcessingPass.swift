import CLibVA
package import VTXMedia

/// One pass of the video processor (`VAProcPipelineParameterBuffer`): a region of the source is rotated, scaled, and
/// drawn on the target, whose remaining area is unchanged as far as drivers comply.
package struct ProcessingPass: Sendable {
    /// `VASurfaceID`s, which the caller keeps alive until the pass has started.
    package var source: UInt32
    package var sourceRegion: PixelRegion
    package var target: UInt32
    package var targetRegion: PixelRegion
    package var rotation = Rotation.none
    package var mirror = Mirror.none
    package var colorStandard = ColorStandard.bt709
    /// Converts PQ in BT.2020 to SDR in BT.709, whatever `colorStandard` is; nil for no tone mapping.
    package var toneMapping: ToneMapping?
    package var isFullRange = false
    /// On the scale of ``VideoProcessor/strength(of:share:)``; nil for no noise reduction.
    package var denoising: Float?
    /// On the same scale; nil for no sharpening.
    package var sharpening: Float?
    /// nil for no deinterlacing.
    package var deinterlacing: DeinterlacingAlgorithm?
    package var isBottomFieldFirst = false
    /// Whether to keep the second field instead of the first.
    package var isSecondField = false
    /// Surfaces before and after the source, the nearest first, for deinterlacing.
    package var forwardReferences: [UInt32] = []
    package var backwardReferences: [UInt32] = []

    package init(source: UInt32, _ sourceRegion: PixelRegion, target: UInt32, _ targetRegion: PixelRegion) {
        self.source = source
        self.sourceRegion = sourceRegion
        self.target = target
        self.targetRegion = targetRegion
    }

    /// `VA_ROTATION_*`, clockwise.
    package enum Rotation: UInt32, Sendable, Hashable {
        case none
        case quarter
        case half
        case threeQuarters
    }

    /// `VA_MIRROR_*`.
    package enum Mirror: UInt32, Sendable, Hashable {
        case none
        case horizontal
        case vertical
    }

    /// `VAProcColorStandardType`.
    package enum ColorStandard: UInt32, Sendable, Hashable {
        case bt601 = 1
        case bt709 = 2
        case smpte240M = 6
        case bt2020 = 12

        /// Creates the standard for H.273's matrix coefficients; BT.709 if unspecified.
        package init(matrix: Int) {
            switch matrix {
            case 5, 6: self = .bt601
            case 7: self = .smpte240M
            case 9, 10: self = .bt2020
            default: self = .bt709
            }
        }
    }
}

extension VAHdrMetaDataHDR10 {
    /// The same units as in the bitstream, with primaries in the order green, blue, red.
    init(_ mapping: ToneMapping) {
        let display = mapping.display
        let primaries = [display.green, display.blue, display.red].map {
            (UInt16(clamping: $0.x), UInt16(clamping: $0.y))
        }
        self.init()
        display_primaries_x = (primaries[0].0, primaries[1].0, primaries[2].0)
        display_primaries_y = (primaries[0].1, primaries[1].1, primaries[2].1)
        white_point_x = UInt16(clamping: display.white.x)
        white_point_y = UInt16(clamping: display.white.y)
        max_display_mastering_luminance = UInt32(clamping: display.maxLuminance)
        min_display_mastering_luminance = UInt32(clamping: display.minLuminance)
        max_content_light_level = UInt16(clamping: mapping.lightLevel.maxContent)
        max_pic_average_light_level = UInt16(clamping: mapping.lightLevel.maxFrameAverage)
    }
}
