import VTXFFmpeg

/// The parameter sets in a muxer's header. Key frames of an encoder that has taken over bring their own.
struct HeaderParameterSets: Sendable {
    private let muxerName: String
    private let extradata: [UInt8]

    /// - Parameter packet: The video packet for which the header was written.
    init(for packet: CapturePacket, in muxerName: String) {
        self.muxerName = muxerName
        extradata = packet.parameters.extradata
    }

    /// Returns the packet with the parameter sets that its decoder has not received.
    func complete(_ packet: CapturePacket) throws(FFmpegError) -> Packet {
        guard packet.isKeyFrame, packet.parameters.extradata != extradata else {
            return try packet.withParameterSets(for: muxerName)
        }
        guard muxerName == "flv" else { return try packet.withParameterSets() }
        // FLV has them only in a header, which libavformat then writes again.
        let copy = try packet.packet.reference()
        try copy.setNewExtradata(packet.parameters.extradata)
        return copy
    }
}
