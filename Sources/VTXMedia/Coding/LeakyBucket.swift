/// How full a decoder's buffer is while a stream flows into it, packet by packet, in decoding order (H.264 C.1, HEVC C.2).
/// Pure.
package struct LeakyBucket: Sendable, Hashable {
    /// What a buffer counts as having at its beginning: encoders assume as much (libavcodec's VA-API encoders) or more (x264
    /// and x265: nine tenths).
    package static let initialFullness = 0.75

    private let vbv: VBV
    /// Bits.
    private var level: Double
    /// Seconds; nil before the first packet.
    private var last: Double?
    /// The least that was left, as a part of the buffer. Below zero a packet was not there when it had to be decoded: by so
    /// much the stream breaks its limit.
    package private(set) var lowest: Double

    /// - Parameter fullness: what the buffer has before the first packet, as a part of it.
    package init(_ vbv: VBV, fullness: Double = LeakyBucket.initialFullness) {
        self.vbv = vbv
        level = fullness * Double(vbv.bufferSize)
        lowest = fullness
    }

    /// A part of the buffer, from 0 to 1: what the packets after this one find.
    package var fullness: Double { level / Double(vbv.bufferSize) }

    /// - Parameter time: seconds at which it is decoded.
    package mutating func take(byteCount: Int, at time: Double) {
        let size = Double(vbv.bufferSize)
        level = min(size, level + max(0, time - (last ?? time)) * Double(vbv.bitrate))
        last = max(time, last ?? time)
        level -= 8 * Double(byteCount)
        lowest = min(lowest, level / size)
        // A decoder waits for a packet that is late, and nothing is left of it then.
        level = max(0, level)
    }
}
