import CFFmpeg
package import VTXMedia

extension Frame {
    /// The regions that an encoder codes with higher or lower quality. If two overlap, the first one applies. Scaling
    /// does not move them: set them again afterwards.
    package var regions: [RegionOfInterest] {
        guard let data = av_frame_get_side_data(pointer, AV_FRAME_DATA_REGIONS_OF_INTEREST) else { return [] }
        let bytes = UnsafeRawBufferPointer(start: data.pointee.data, count: data.pointee.size)
        return bytes.bindMemory(to: AVRegionOfInterest.self).map(RegionOfInterest.init)
    }

    /// - Throws: if there is not enough memory.
    package func setRegions(_ regions: [RegionOfInterest]) throws(FFmpegError) {
        av_frame_remove_side_data(pointer, AV_FRAME_DATA_REGIONS_OF_INTEREST)
        guard !regions.isEmpty else { return }
        // libavcodec's encoders multiply the fraction by the number of quantizer steps of the bit depth.
        let steps = 51 + 6 * (pixelFormat.bitDepth - 8)
        let size = regions.count * MemoryLayout<AVRegionOfInterest>.stride
        guard let added = av_frame_new_side_data(pointer, AV_FRAME_DATA_REGIONS_OF_INTEREST, size) else {
            throw FFmpegError("av_frame_new_side_data", -ENOMEM)
        }
        let target = UnsafeMutableRawBufferPointer(start: added.pointee.data, count: size)
        _ = target.bindMemory(to: AVRegionOfInterest.self)
            .initialize(from: regions.map { AVRegionOfInterest($0, of: steps) })
    }
}

extension AVRegionOfInterest {
    fileprivate init(_ region: RegionOfInterest, of steps: Int) {
        self.init(
            self_size: UInt32(MemoryLayout<AVRegionOfInterest>.stride), top: Int32(region.y),
            bottom: Int32(region.y + region.size.height), left: Int32(region.x),
            right: Int32(region.x + region.size.width),
            qoffset: AVRational(num: Int32(region.qpOffset), den: Int32(steps)))
    }
}

extension RegionOfInterest {
    fileprivate init(_ region: AVRegionOfInterest) {
        self.init(
            x: Int(region.left), y: Int(region.top),
            size: PixelSize(Int(region.right - region.left), Int(region.bottom - region.top)),
            qpOffset: Int(region.qoffset.num))
    }
}
