import VTXFFmpeg
import VTXMedia

/// Muxes a recording so that what is written is complete up to the last second at any time.
///
/// Unchecked: one thread at a time calls it.
final class CaptureMuxer: @unchecked Sendable {
    private let container: Container
    /// The name of the output, which determines the packets of MPEG-TS.
    private let name: String
    private let open: () throws(FFmpegError) -> Muxer
    private var muxer: Muxer?
    /// Audio before the first frame.
    private var early = EarlyAudio()
    private var headerSets: HeaderParameterSets?

    /// - Parameter open: Opens the destination, before the first packet.
    init(_ container: Container, name: String, open: @escaping () throws(FFmpegError) -> Muxer) {
        (self.container, self.name, self.open) = (container, name, open)
    }

    /// Whether a header has been written.
    var hasBegun: Bool { muxer != nil }
    var byteCount: Int64 { muxer?.byteCount ?? 0 }

    /// Writes a packet, preceded by the header if it is the first one.
    func write(_ packet: CapturePacket) throws(FFmpegError) {
        guard !packet.isAudio || holdsAudio, !early.hold(packet, hasBegun: hasBegun) else { return }
        if muxer == nil { muxer = try start(packet) }
        try muxer?.write(try headerSets?.complete(packet) ?? packet.packet, to: packet.stream)
        for packet in early.take() { try muxer?.write(packet.packet, to: packet.stream) }
    }

    /// Whether the container supports audio; a video byte stream does not.
    private var holdsAudio: Bool { !container.isElementaryStream }

    private func start(_ packet: CapturePacket) throws(FFmpegError) -> Muxer {
        let muxer = try open()
        let isTagged = packet.format.codec == .hevc && [.mp4, .mov].contains(container)
        try packet.addStreams(
            to: muxer, codecTag: isTagged ? OutputStreamDescription.tag("hvc1") : 0, withAudio: holdsAudio)
        try muxer.writeHeader(options: container.recordingOptions(for: name))
        headerSets = HeaderParameterSets(for: packet, in: container.muxerName)
        return muxer
    }

    /// Writes the trailer and closes the destination.
    func finish() throws(FFmpegError) {
        try muxer?.finish()
        muxer = nil
    }
}

/// Audio that waits for the first frame, whose packet is needed for the header.
struct EarlyAudio: Sendable {
    /// About ten seconds.
    private static let limit = 512
    private var packets: [CapturePacket] = []

    /// Holds audio before the first frame.
    ///
    /// - Returns: false for a packet that can be written.
    mutating func hold(_ packet: CapturePacket, hasBegun: Bool) -> Bool {
        guard packet.isAudio, !hasBegun else { return false }
        packets.append(packet)
        if packets.count > Self.limit { packets.removeFirst() }
        return true
    }

    mutating func take() -> [CapturePacket] {
        defer { packets = [] }
        return packets
    }
}

extension Container {
    /// The muxer options that keep a recording complete up to the last second.
    fileprivate func recordingOptions(for name: String) -> [(String, String)] {
        let flush = [("flush_packets", "1")]
        switch self {
        case .mp4, .mov:
            // Without delay_moov, the index precedes the first frame: real-time encoders do not reorder.
            return flush + [
                ("movflags", "+frag_keyframe+empty_moov+default_base_moof"), ("frag_duration", "1000000"),
            ]
        case .mkv, .webm: return flush + [("cluster_time_limit", "1000")]
        case .ts: return flush + [Self.packetOption(for: name)]
        case .h264, .h265: return flush
        }
    }
}
