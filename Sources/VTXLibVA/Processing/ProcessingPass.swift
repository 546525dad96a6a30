import CLibVA
package import VTXMedia

/// One picture through the video processor (`VAProcPipelineParameterBuffer`): a part of the source is turned, scaled,
/// and placed on the target, which keeps what it holds where that does not reach, as far as drivers do as they are told.
package struct ProcessingPass: Sendable {
    /// `VASurfaceID`s; the caller keeps them alive until the pass has been started.
    package var source: UInt32
    package var sourceRegion: PixelRegion
    package var target: UInt32
    package var targetRegion: PixelRegion
    package var rotation = Rotation.none
    package var mirror = Mirror.none
    package var colorStandard = ColorStandard.bt709
    /// PQ in BT.2020 becomes SDR in BT.709, whatever `colorStandard` says; nil leaves light as it is.
    package var toneMapping: ToneMapping?
    package var isFullRange = false
    /// nil leaves fields as they are.
    package var deinterlacing: DeinterlacingAlgorithm?
    package var isBottomFieldFirst = false
    /// The field that comes second stays, instead of the first.
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

        /// By H.273's number of the matrix coefficients; what is not said is BT.709.
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
    /// The same units as in the bitstream; primaries in the order green, blue, red.
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
