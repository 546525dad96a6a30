import VTXFFmpeg

/// The times of one packet, in ticks of its stream's time base.
struct PacketTimes: Sendable, Hashable, Codable {
    var pts: Int64?
    var dts: Int64?
    /// 0 where it is not known.
    var duration: Int64 = 0
    /// An edit list hides it: it is decoded and not shown, and its times may lie anywhere.
    var isHidden = false
}

extension PacketTimes {
    init(_ packet: Packet) {
        self.init(pts: packet.pts, dts: packet.dts, duration: packet.duration, isHidden: packet.isHidden)
    }
}
