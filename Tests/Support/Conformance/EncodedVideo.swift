import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTestMedia

/// An encoder's output, and its frames from another decoder.
struct EncodedVideo {
    var configuration: EncoderConfiguration
    var parameters: CodecParameters
    /// In output order.
    var packets: [PacketRecord]
    var decoded: [Frame]
    var decodingErrors: Int
    /// The container's stream after muxing.
    var stream: InputStream

    /// - Parameter forcedKeys: positions of frames that must become key frames.
    init(
        _ conformance: Conformance, _ configuration: EncoderConfiguration, _ frames: [Frame],
        forcedKeys: Set<Int> = []
    ) throws {
        self.configuration = configuration
        let session = try conformance.openSession()
        let encoder = try session.makeEncoder(configuration)
        var made: [Packet] = []
        for (index, frame) in frames.enumerated() {
            try encoder.send(frame, forcesKeyFrame: forcedKeys.contains(index))
            try encoder.drain(into: &made)
        }
        try encoder.send(nil, forcesKeyFrame: false)
        try encoder.drain(into: &made)
        parameters = encoder.parameters
        packets = made.map(PacketRecord.init)
        let directory = try TemporaryDirectory()
        let path = directory.file("a")
        try Self.mux(made, encoder.parameters, configuration, to: path)
        let decoded = try Decoded(path)
        (self.decoded, decodingErrors) = (decoded.frames, decoded.errors)
        guard let stream = try MediaFile(path).video else { throw RecipeError("no video in what was encoded") }
        self.stream = stream
    }

    /// Passes only what a muxer needs: the rest must be in the bitstream.
    private static func mux(
        _ packets: [Packet], _ parameters: CodecParameters, _ configuration: EncoderConfiguration, to path: String
    ) throws {
        let muxer = try Muxer(path: path, format: format(configuration))
        _ = try muxer.addStream(OutputStreamDescription(parameters: parameters, timeBase: configuration.timeBase))
        try muxer.writeHeader(options: [])
        for packet in packets { try muxer.write(try packet.reference(), to: 0) }
        try muxer.finish()
    }

    private static func format(_ configuration: EncoderConfiguration) -> String {
        configuration.usesGlobalHeader || configuration.codec == .av1 ? "matroska" : "mpegts"
    }

    var isAnnexB: Bool {
        packets.first.map { $0.bytes.starts(with: [0, 0, 0, 1]) || $0.bytes.starts(with: [0, 0, 1]) } ?? false
    }

    private func types(_ packet: PacketRecord) -> [Int] {
        NALUnits.types(packet.bytes, configuration.codec, isAnnexB: isAnnexB)
    }

    /// An IDR picture, or a key frame of AV1.
    func hasKeyPicture(_ packet: PacketRecord) -> Bool {
        guard configuration.codec != .av1 else { return OBUs.hasKeyFrame(packet.bytes) }
        return types(packet).contains { NALUnits.isIDR($0, configuration.codec) }
    }

    /// The parameter sets that a decoder needs to begin, or AV1's sequence header.
    func hasParameterSets(_ packet: PacketRecord) -> Bool {
        guard configuration.codec != .av1 else { return OBUs.types(packet.bytes).contains(OBUs.sequenceHeader) }
        return NALUnits.parameterSets(configuration.codec).isSubset(of: types(packet))
    }

    /// The frames shown from one key frame up to the next, by position in decoding order.
    var groups: [ArraySlice<PacketRecord>] {
        let starts = packets.indices.filter { packets[$0].isKeyFrame }
        return zip(starts, starts.dropFirst() + [packets.endIndex]).map { packets[$0..<$1] }
    }
}

extension VideoEncoder {
    fileprivate func drain(into packets: inout [Packet]) throws {
        while case .unit(let packet) = try receive() { packets.append(packet) }
    }
}
