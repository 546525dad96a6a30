import VTXFFmpeg

/// HEVC with a second layer, like that of stereo cameras: each slice is repeated with `nuh_layer_id` 1.
package struct LayeredMovie {
    private let stream: EncodedStream
    /// The second layer's parameter sets; in an MP4 file only in `lhvC`.
    package let layerSets: [[UInt8]]

    package init() throws {
        var stream = try VideoRecipe.hevc.encode(globalHeader: true)
        stream.packets = try stream.packets.map { packet in
            let bytes = Array(packet.bytes)
            let slices = NALUnits.split(annexB: bytes).filter { $0[0] >> 1 < 32 }
            return try packet.replacing(bytes: bytes + slices.flatMap { [0, 0, 0, 1] + Self.lift($0) })
        }
        self.stream = stream
        layerSets = NALUnits.split(annexB: stream.description.parameters.extradata)
            .filter { [33, 34].contains($0[0] >> 1) }.map(Self.lift)
    }

    /// Changes the layer to 1.
    private static func lift(_ unit: [UInt8]) -> [UInt8] { [unit[0], unit[1] | 1 << 3] + unit.dropFirst(2) }

    /// An MP4 file, or a Matroska file without the layer's parameter sets.
    package func write(to path: String) throws {
        let isMP4 = path.hasSuffix(".mp4")
        let muxer = try Muxer(path: path, format: isMP4 ? "mp4" : "matroska")
        _ = try muxer.addStream(stream.description)
        try muxer.writeHeader(options: [])
        for packet in stream.packets { try muxer.write(try packet.reference(), to: 0) }
        try muxer.finish()
        guard isMP4 else { return }
        let bytes = try BoxWalk.adding(
            BoxWalk.box("lhvC", contents: record), to: "moov/trak/mdia/minf/stbl/stsd/hev1", of: try Files.read(path))
        try Files.write(bytes, to: path)
    }

    /// LHEVCDecoderConfigurationRecord (ISO/IEC 14496-15 9.5.3.1).
    private var record: [UInt8] {
        layerSets.reduce([1, 0xf0, 0, 0xfc, 0xcf, UInt8(layerSets.count)]) { record, unit in
            record + [0x80 | unit[0] >> 1, 0, 1, UInt8(unit.count >> 8), UInt8(unit.count & 0xff)] + unit
        }
    }
}
