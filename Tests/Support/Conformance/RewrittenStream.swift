import Testing
package import VTXBitstream
package import VTXFFmpeg
package import VTXMedia
package import VTXTestMedia

/// Coded pictures with a changed header.
package struct RewrittenStream {
    package let codec: VideoCodec
    /// As passed to a session: only the container's parameter sets are known.
    package var stream: InputStream
    /// In decoding order.
    package var packets: [Packet]
    /// Decoded with the original header by libavcodec on one thread.
    package let reference: [Frame]

    package init(
        _ recipe: VideoRecipe, h264: (inout H264SPS) -> Void = { _ in }, hevc: (inout HEVCSPS) -> Void = { _ in }
    ) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.mkv")
        try MovieRecipe(recipe).write(to: path)
        let demuxer = try Demuxer(path: path)
        let original = demuxer.streams[0]
        codec = original.parameters.codecName == "h264" ? .h264 : .hevc
        let record = original.parameters.extradata
        stream = try InputStream(
            codec,
            parameterSets: codec == .h264
                ? Self.rewrite(avcC: record, h264) : Self.rewrite(hvcC: record, hevc),
            timeBase: original.timeBase)
        packets = []
        while let packet = try demuxer.read() { packets.append(packet) }
        reference = try Decoded(path).frames
        try #require(reference.count == recipe.frameCount)
    }

    private static func rewrite(avcC: [UInt8], _ change: (inout H264SPS) -> Void) throws -> [UInt8] {
        var record = try AVCDecoderConfigurationRecord(avcC)
        record.spss = try record.spss.map { unit in
            var sps = try H264SPS(nalUnit: unit)
            change(&sps)
            return try sps.nalUnit()
        }
        return try record.bytes()
    }

    private static func rewrite(hvcC: [UInt8], _ change: (inout HEVCSPS) -> Void) throws -> [UInt8] {
        var record = try HEVCDecoderConfigurationRecord(hvcC)
        for array in record.arrays.indices where record.arrays[array].type == .sps {
            record.arrays[array].units = try record.arrays[array].units.map { unit in
                var sps = try HEVCSPS(nalUnit: unit)
                change(&sps)
                return try sps.nalUnit()
            }
        }
        return try record.bytes()
    }
}
