import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// A live output. After a failed or lost connection, it reconnects with a key frame, with exponential backoff; frames
/// in the meantime are dropped.
///
/// Unchecked: one thread at a time calls it, except for `limitWaiting`.
final class CaptureConnection: CapturePacketSink, @unchecked Sendable {
    /// The timeout for writing, in seconds.
    private static let timeout = 5.0
    /// How long to continue sending buffered packets at the end, in seconds.
    private static let ending = 3.0

    private let url: String
    private let muxerName: String
    private let report: @Sendable (Notice) -> Void
    private let now: @Sendable () -> Double
    private let state = Locked(State())
    private var muxer: Muxer?
    private var headerSets: HeaderParameterSets?
    /// The number of bytes sent over earlier connections.
    private var earlierByteCount: Int64 = 0
    private(set) var skippedCount = 0
    private var schedule = ReconnectSchedule()
    private var lastError: String?

    private struct State {
        var interruption: NetworkInterruption?
        var isHurried = false
        var isConnected = false
    }

    init(
        _ url: String, _ muxerName: String, report: @escaping @Sendable (Notice) -> Void,
        now: @escaping @Sendable () -> Double = { MonotonicClock.seconds }
    ) {
        (self.url, self.muxerName, self.report, self.now) = (url, muxerName, report, now)
    }

    /// The number of failed attempts and lost connections since the last packet written.
    var failureCount: Int { schedule.failureCount }
    var byteCount: Int64 { earlierByteCount + (muxer?.byteCount ?? 0) }

    var isConnected: Bool { state.withLock(\.isConnected) }

    func write(_ packet: CapturePacket) {
        do throws(FFmpegError) {
            if muxer == nil { muxer = try connect(packet) }
            guard let muxer else {
                skippedCount += packet.isAudio ? 0 : 1
                return
            }
            let muxed = try muxed(packet)
            try muxer.write(try headerSets?.complete(muxed) ?? muxed.packet, to: packet.stream)
            if failureCount > 0 { report(Notice(.captureConnection, "'\(url)' is connected again")) }
            schedule.succeed()
        } catch { lose(error, packet) }
    }

    /// - Returns: the muxer; nil if it is too early to reconnect.
    private func connect(_ packet: CapturePacket) throws(FFmpegError) -> Muxer? {
        guard packet.isKeyFrame, now() >= schedule.next, !state.withLock({ $0.isHurried }) else { return nil }
        let interruption = NetworkInterruption(timeout: Self.timeout)
        state.withLock { $0.interruption = interruption }
        let muxer = try openMuxer(packet, interruption)
        let first = try muxed(packet)
        try first.addStreams(to: muxer)
        try muxer.writeHeader(options: options)
        headerSets = HeaderParameterSets(for: first, in: muxerName)
        state.withLock { $0.isConnected = true }
        return muxer
    }

    private func openMuxer(
        _ packet: CapturePacket, _ interruption: NetworkInterruption
    ) throws(FFmpegError) -> Muxer {
        let url = LiveURL(url)?.spelledForLibavformat ?? url
        guard EnhancedRTMP.isNeeded(for: packet, in: muxerName) else {
            return try Muxer(url: url, format: muxerName, interruption: interruption)
        }
        let target = try NetworkSink(url: url, interruption: interruption)
        return try Muxer(writing: EnhancedRTMP(writing: target), format: muxerName, interruption: interruption)
    }

    /// Returns the packet for the muxer.
    private func muxed(_ packet: CapturePacket) throws(FFmpegError) -> CapturePacket {
        EnhancedRTMP.isNeeded(for: packet, in: muxerName) ? try packet.asH264() : packet
    }

    private var options: [(String, String)] {
        let flush = [("flush_packets", "1")]
        return muxerName == "flv" ? flush + [("flvflags", "no_duration_filesize")] : flush
    }

    private func text(_ error: FFmpegError) -> String {
        let hasExpired = state.withLock { $0.interruption }?.hasExpired ?? false
        return hasExpired ? "the receiver accepts no data" : "\(error)"
    }

    private func lose(_ error: FFmpegError, _ packet: CapturePacket) {
        let reason = text(error)
        if failureCount == 0 {
            let what: Message = muxer == nil ? "is not connected" : "has lost its connection"
            report(Notice(.captureConnection, "'\(url)' \(what): \(reason); reconnecting"))
        }
        earlierByteCount = byteCount
        muxer = nil
        state.withLock { $0.isConnected = false }
        lastError = reason
        skippedCount += packet.isAudio ? 0 : 1
        schedule.fail(at: now())
    }

    func limitWaiting() {
        let interruption = state.withLock { state in
            state.isHurried = true
            return state.interruption
        }
        interruption?.end(within: Self.ending)
    }

    /// - Throws: if it is not connected.
    func finish() throws(TranscodeError) {
        guard let muxer else {
            guard let lastError else { return }
            throw TranscodeError(.outputConnection, "'\(url)' is not connected: \(lastError)")
                .caused(by: lastError)
        }
        earlierByteCount = byteCount
        self.muxer = nil
        do throws(FFmpegError) { try muxer.finish(linger: LiveURL(url)?.linger ?? 0) } catch {
            throw TranscodeError(.outputConnection, "'\(url)' has lost its connection at the end: \(text(error))")
                .caused(by: "\(error)")
        }
    }
}
