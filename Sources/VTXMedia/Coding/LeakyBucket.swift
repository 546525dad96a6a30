/// The fullness of a decoder's buffer during a stream, packet by packet in decoding order (H.264 C.1, HEVC C.2). Pure.
package struct LeakyBucket: Sendable, Hashable {
    /// The assumed fullness at the beginning. Encoders assume the same (libavcodec's VA-API encoders) or more (x264 and
    /// x265: nine tenths).
    package static let initialFullness = 0.75

    private let vbv: VBV
    /// In bits.
    private var level: Double
    /// In seconds; nil before the first packet.
    private var last: Double?
    /// The lowest fullness so far, as a fraction of the buffer. A negative value is an underflow: the stream exceeds
    /// its limit by that much.
    package private(set) var lowest: Double

    /// - Parameter fullness: The fullness before the first packet, from 0 to 1.
    package init(_ vbv: VBV, fullness: Double = LeakyBucket.initialFullness) {
        self.vbv = vbv
        level = fullness * Double(vbv.bufferSize)
        lowest = fullness
    }

    /// The current fullness, from 0 to 1, available to the next packets.
    package var fullness: Double { level / Double(vbv.bufferSize) }

    /// - Parameter time: The decoding time, in seconds.
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
