import VTXFFmpeg
package import VTXMedia

/// The most bits in any interval of a stream, in decoding order.
package enum PeakBitrate {
    /// - Parameters:
    ///   - units: the decoding time in seconds and size of each, in decoding order.
    ///   - seconds: the length of the interval; a unit decoded at its end is outside.
    package static func bits(of units: [(time: Double, byteCount: Int)], in seconds: Double = 1) -> Int {
        // Times are sums of fractions: a millionth of a second before the end counts as the end.
        let length = seconds - 1e-6
        var (first, sum, most) = (0, 0, 0)
        for unit in units {
            sum += unit.byteCount
            while units[first].time <= unit.time - length {
                sum -= units[first].byteCount
                first += 1
            }
            most = max(most, sum)
        }
        return most * 8
    }

    package static func bits(of packets: [PacketRecord], in seconds: Double = 1) -> Int {
        bits(
            of: packets.compactMap { packet in (packet.dts ?? packet.pts).map { ($0.seconds, packet.bytes.count) } },
            in: seconds)
    }

    /// Of a file's first video stream, by the container's times; for Matroska, libavformat estimates decoding times.
    package static func bits(ofVideoIn path: String, in seconds: Double = 1) throws -> Int {
        bits(of: try MediaFile(path).packets(.video), in: seconds)
    }
}

extension LeakyBucket {
    /// The state after a whole stream, by its decoding times.
    package init(_ vbv: VBV, fullness: Double, after packets: [PacketRecord]) {
        self.init(vbv, fullness: fullness)
        for packet in packets {
            if let time = packet.dts ?? packet.pts { take(byteCount: packet.bytes.count, at: time.seconds) }
        }
    }
}
