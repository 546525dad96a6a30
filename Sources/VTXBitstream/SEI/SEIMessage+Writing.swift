package import VTXMedia

extension SEIMessage {
    /// `mastering_display_colour_volume()` (H.265 D.2.28, H.264 D.1.29).
    package init(_ display: MasteringDisplay) {
        // The primaries stand in the order green, blue, red.
        let points = [display.green, display.blue, display.red, display.white]
        let luminances = [display.maxLuminance, display.minLuminance]
        self.init(
            type: .masteringDisplayColourVolume,
            payload: points.flatMap { bytes($0.x, 2) + bytes($0.y, 2) } + luminances.flatMap { bytes($0, 4) })
    }

    /// `content_light_level_info()` (H.265 D.2.35, H.264 D.1.31).
    package init(_ light: ContentLightLevel) {
        self.init(type: .contentLightLevel, payload: bytes(light.maxContent, 2) + bytes(light.maxFrameAverage, 2))
    }

    /// A NAL unit with these messages, in HEVC a prefix SEI, without start code.
    package static func nalUnit(_ messages: [SEIMessage], codec: VideoCodec) -> [UInt8] {
        let header =
            codec == .h264
            ? H264NALUnitHeader(refIDC: 0, type: .sei).bytes : HEVCNALUnitHeader(type: .prefixSEI).bytes
        let rbsp = messages.flatMap {
            extendedNumber($0.type.rawValue) + extendedNumber($0.payload.count) + $0.payload
        }
        return header + EmulationPrevention.insert(into: rbsp + [0x80])
    }
}

/// An unsigned number, the highest byte first; what does not fit is cut off.
private func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
}

/// Bytes of 255, and a smaller one for the rest.
private func extendedNumber(_ value: Int) -> [UInt8] {
    [UInt8](repeating: 0xff, count: value / 255) + [UInt8(value % 255)]
}
