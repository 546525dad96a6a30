import CLibVA
import VTXMedia

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
