import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// The decoding times of packets from several encoders in sequence. The first encoder determines the delay, which
/// applies to all. Pure.
struct SegmentTimes: Sendable {
    private let frameDuration: Int64
    /// The first frames, until one is decoded at the display time of the first.
    private var first: [(pts: Int64, dts: Int64)] = []
    private var times: DecodingTimes?

    init(frameDuration: Int64) { self.frameDuration = frameDuration }

    mutating func place(_ packet: Packet) throws(TranscodeError) {
        guard let pts = packet.pts else { return }
        do throws(SeamChange) { packet.dts = try next(pts, own: packet.dts ?? pts) } catch {
            throw TranscodeError(
                .internal, "the encoders of two parts of the video order frames differently, and cannot be joined",
                hint: "\(option: .parallel, "1") and \(option: .segments, "1") encode the video in one part")
        }
    }

    /// - Parameter own: The decoding time from the encoder.
    mutating func next(_ pts: Int64, own: Int64) throws(SeamChange) -> Int64 {
        if times == nil {
            first.append((pts, own))
            guard own >= first[0].pts else { return own }
            var rule = DecodingTimes(after: first, frameDuration: frameDuration)
            for frame in first.dropLast() { _ = try rule.time(frame.pts) }
            times = rule
        }
        return try times?.time(pts) ?? own
    }
}
