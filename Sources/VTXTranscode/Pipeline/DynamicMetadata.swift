import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// Metadata of single pictures, HDR10+ (SMPTE ST 2094-40) and Dolby Vision's, led around decoder, filters and encoder, none
/// of which passes it on: from the source's packets to the output's pictures that are shown at the same time.
///
/// The stage that decodes notes it, and those that encode ask for it.
final class DynamicMetadata: Sendable {
    private let framing: NALFraming
    private let keepsHDR10Plus: Bool
    private let keepsDolbyVision: Bool
    /// The output's.
    private let timeBase: Rational
    /// In the order of time.
    private let entries = Locked<[Entry]>([])

    private struct Entry: Sendable {
        var pts: Int64
        /// nil for a picture without.
        var metadata: PictureMetadata?
    }

    /// More pictures than are on their way from the first decoder to the last encoder.
    private static let maxEntries = 1024

    /// - Returns: nil where the plan keeps none.
    init?(_ source: InputStream, _ encoding: VideoEncoding) {
        guard encoding.keepsHDR10Plus || encoding.dolbyVision != nil,
            let framing = try? NALFraming(extradata: source.parameters.extradata, codec: .hevc)
        else { return nil }
        (self.framing, timeBase) = (framing, encoding.encoder.timeBase)
        (keepsHDR10Plus, keepsDolbyVision) = (encoding.keepsHDR10Plus, encoding.dolbyVision != nil)
    }

    /// Keeps what a packet of the source says of its picture.
    func note(_ packet: Packet) {
        guard let time = packet.presentationTime else { return }
        let entry = Entry(pts: time.rescaled(to: timeBase).ticks, metadata: metadata(in: packet))
        entries.withLock { entries in
            let place = entries.lastIndex { $0.pts <= entry.pts }.map { $0 + 1 } ?? 0
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

    /// The metadata of the picture that is shown at a time: where frames were put in, that of the one before.
    func metadata(at pts: Int64) -> PictureMetadata? {
        entries.withLock { entries in entries.last { $0.pts <= pts }?.metadata }
    }
}

/// What one picture has.
struct PictureMetadata: Sendable {
    var hdr10Plus: SEIMessage?
    /// A NAL unit, without start code.
    var dolbyVision: [UInt8]?

    fileprivate var isEmpty: Bool { hdr10Plus == nil && dolbyVision == nil }
}

extension Packet {
    /// The same picture of a byte stream, with HDR10+ before its first slice and Dolby Vision's unit after the last.
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
    /// `itu_t_t35_terminal_provider_code` and what follows it, of SMPTE ST 2094-40's application 4.
    fileprivate var isHDR10Plus: Bool {
        guard let (country, bytes) = userDataRegistered else { return false }
        return country == [0xb5] && bytes.starts(with: [0x00, 0x3c, 0x00, 0x01, 0x04])
    }
}
