import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// Carries per-frame metadata, HDR10+ (SMPTE ST 2094-40) and Dolby Vision, past decoder, filters and encoder, none of
/// which forwards it: from the source's packets to the output's frames with the same display time.
///
/// The decoding stage notes it, and the encoding stages look it up.
final class DynamicMetadata: Sendable {
    private let framing: NALFraming
    private let keepsHDR10Plus: Bool
    private let keepsDolbyVision: Bool
    /// The time base of the output.
    private let timeBase: Rational
    /// In order of time.
    private let entries = Locked<[Entry]>([])

    private struct Entry: Sendable {
        /// In the source's unit: a lower frame rate rounds several frames to one `pts`, and the last of them is kept.
        var time: MediaTime
        var pts: Int64
        /// nil for a frame without metadata.
        var metadata: PictureMetadata?
    }

    /// More frames than there are between the first decoder and the last encoder.
    private static let maxEntries = 1024

    /// - Returns: nil if the plan keeps none.
    init?(_ source: InputStream, _ encoding: VideoEncoding) {
        guard encoding.keepsHDR10Plus || encoding.dolbyVision != nil,
            let framing = try? NALFraming(extradata: source.parameters.extradata, codec: .hevc)
        else { return nil }
        (self.framing, timeBase) = (framing, encoding.encoder.timeBase)
        (keepsHDR10Plus, keepsDolbyVision) = (encoding.keepsHDR10Plus, encoding.dolbyVision != nil)
    }

    /// Notes the metadata in a packet of the source.
    func note(_ packet: Packet) {
        guard let time = packet.presentationTime else { return }
        let entry = Entry(time: time, pts: time.rescaled(to: timeBase).ticks, metadata: metadata(in: packet))
        entries.withLock { entries in
            let place = entries.lastIndex { $0.time <= entry.time }.map { $0 + 1 } ?? 0
            entries.insert(entry, at: place)
            if entries.count > Self.maxEntries { entries.removeFirst() }
        }
    }

    private func metadata(in packet: Packet) -> PictureMetadata? {
        let bytes = packet.bytes.bytes
        guard let units = try? framing.units(in: bytes, codec: .hevc) else { return nil }
        var metadata = PictureMetadata()
        for unit in units {
            if keepsHDR10Plus, unit.isSEI, metadata.hdr10Plus == nil {
                let messages = try? SEIMessage.messages(in: bytes.extracting(unit.range), codec: .hevc)
                metadata.hdr10Plus = messages?.first(where: \.isHDR10Plus)
            } else if keepsDolbyVision, unit.hevcType == .dolbyVisionRPU, unit.layerID == 0 {
                metadata.dolbyVision = bytes.copy(unit.range)
            }
        }
        return metadata.isEmpty ? nil : metadata
    }

    /// Returns the metadata of the frame shown at a time; for a duplicated frame, that of the previous one.
    func metadata(at pts: Int64) -> PictureMetadata? {
        entries.withLock { entries in entries.last { $0.pts <= pts }?.metadata }
    }
}

/// The metadata of a frame.
struct PictureMetadata: Sendable {
    var hdr10Plus: SEIMessage?
    /// A NAL unit, without start code.
    var dolbyVision: [UInt8]?

    fileprivate var isEmpty: Bool { hdr10Plus == nil && dolbyVision == nil }
}

extension Packet {
    /// Returns the same frame of a byte stream, with HDR10+ before its first slice and Dolby Vision's unit after the
    /// last one.
    func adding(_ metadata: PictureMetadata) throws(FFmpegError) -> Packet {
        let bytes = bytes.bytes
        let units = AnnexB.units(in: bytes, codec: .hevc)
        let slices = units.firstIndex(where: \.isVCL) ?? units.endIndex
        let message = metadata.hdr10Plus.map { AnnexB.startCode + SEIMessage.nalUnit([$0], codec: .hevc) } ?? []
        return try replacing(
            bytes: AnnexB.write(Array(units[..<slices]), of: bytes) + message
                + AnnexB.write(Array(units[slices...]), of: bytes)
                + (metadata.dolbyVision.map { AnnexB.startCode + $0 } ?? []))
    }
}

extension SEIMessage {
    /// Whether it is SMPTE ST 2094-40's application 4: `itu_t_t35_terminal_provider_code` and what follows.
    fileprivate var isHDR10Plus: Bool {
        guard let (country, bytes) = userDataRegistered else { return false }
        return country == [0xb5] && bytes.starts(with: [0x00, 0x3c, 0x00, 0x01, 0x04])
    }
}
