import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// HDR10+ metadata (SMPTE ST 2094-40), led around decoder, filters and encoder, none of which passes it on: from the SEI
/// messages of the source's packets to the output's pictures that are shown at the same time.
///
/// The stage that decodes notes it, and those that encode ask for it.
final class DynamicMetadata: Sendable {
    private let framing: NALFraming
    /// The output's.
    private let timeBase: Rational
    /// In the order of time.
    private let entries = Locked<[Entry]>([])

    private struct Entry: Sendable {
        var pts: Int64
        /// nil for a picture without.
        var message: SEIMessage?
    }

    /// More pictures than are on their way from the first decoder to the last encoder.
    private static let maxEntries = 1024

    /// - Returns: nil where the plan keeps none.
    init?(_ source: InputStream, _ encoding: VideoEncoding) {
        guard encoding.keepsHDR10Plus,
            let framing = try? NALFraming(extradata: source.parameters.extradata, codec: .hevc)
        else { return nil }
        (self.framing, timeBase) = (framing, encoding.encoder.timeBase)
    }

    /// Keeps what a packet of the source says of its picture.
    func note(_ packet: Packet) {
        guard let time = packet.presentationTime else { return }
        let entry = Entry(pts: time.rescaled(to: timeBase).ticks, message: message(in: packet))
        entries.withLock { entries in
            let place = entries.lastIndex { $0.pts <= entry.pts }.map { $0 + 1 } ?? 0
            entries.insert(entry, at: place)
            if entries.count > Self.maxEntries { entries.removeFirst() }
        }
    }

    private func message(in packet: Packet) -> SEIMessage? {
        let bytes = packet.bytes.bytes
        guard let units = try? framing.units(in: bytes, codec: .hevc) else { return nil }
        for unit in units where unit.isSEI {
            let messages = try? SEIMessage.messages(in: bytes.extracting(unit.range), codec: .hevc)
            if let found = messages?.first(where: \.isHDR10Plus) { return found }
        }
        return nil
    }

    /// The metadata of the picture that is shown at a time: where frames were put in, that of the one before.
    func message(at pts: Int64) -> SEIMessage? {
        entries.withLock { entries in entries.last { $0.pts <= pts }?.message }
    }
}

extension Packet {
    /// The same picture of a byte stream, with a message before its first slice.
    func adding(_ message: SEIMessage) throws(FFmpegError) -> Packet {
        let bytes = bytes.bytes
        let units = AnnexB.units(in: bytes, codec: .hevc)
        let slices = units.firstIndex(where: \.isVCL) ?? units.endIndex
        return try replacing(
            bytes: AnnexB.write(Array(units[..<slices]), of: bytes) + AnnexB.startCode
                + SEIMessage.nalUnit([message], codec: .hevc) + AnnexB.write(Array(units[slices...]), of: bytes))
    }
}

extension SEIMessage {
    /// `itu_t_t35_terminal_provider_code` and what follows it, of SMPTE ST 2094-40's application 4.
    fileprivate var isHDR10Plus: Bool {
        guard let (country, bytes) = userDataRegistered else { return false }
        return country == [0xb5] && bytes.starts(with: [0x00, 0x3c, 0x00, 0x01, 0x04])
    }
}
