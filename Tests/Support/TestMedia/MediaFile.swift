package import VTXFFmpeg
package import VTXMedia

/// A copy of a packet.
package struct PacketRecord: Sendable, Hashable {
    package var pts: MediaTime?
    package var dts: MediaTime?
    package var duration: MediaTime
    package var isKeyFrame: Bool
    package var bytes: [UInt8]

    package init(_ packet: Packet) {
        pts = packet.presentationTime
        dts = packet.dts.map { MediaTime($0, packet.timeBase) }
        duration = MediaTime(packet.duration, packet.timeBase)
        isKeyFrame = packet.isKeyFrame
        bytes = Array(packet.bytes)
    }
}

/// The contents of a file, read only with libavformat.
package struct MediaFile {
    package let demuxer: Demuxer
    /// In file order, by stream.
    package private(set) var packets: [[PacketRecord]]

    package init(_ path: String) throws {
        demuxer = try Demuxer(path: path)
        packets = demuxer.streams.map { _ in [] }
        while let packet = try demuxer.read() {
            if packets.indices.contains(packet.streamIndex) {
                packets[packet.streamIndex].append(PacketRecord(packet))
            }
        }
    }

    package var streams: [InputStream] { demuxer.streams }

    /// The streams of a kind, without cover art.
    package func streams(_ kind: StreamKind) -> [InputStream] {
        streams.filter { $0.kind == kind && !$0.isCoverArt }
    }

    /// The first video stream that is not cover art.
    package var video: InputStream? { streams(.video).first }

    /// The packets of the first stream of a kind.
    package func packets(_ kind: StreamKind) -> [PacketRecord] {
        streams(kind).first.map { packets[$0.index] } ?? []
    }

    /// The presentation times of the first stream of a kind, in order.
    package func times(_ kind: StreamKind) -> [Double] {
        packets(kind).compactMap { $0.pts?.seconds }.sorted()
    }
}
