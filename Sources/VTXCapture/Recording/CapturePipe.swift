import Glibc
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// Standard output as a live output: if its reader is slow, frames are dropped before they are written. A reader that
/// ends with the recording is no failure, because Ctrl-C in a shell ends both.
///
/// Unchecked: one thread at a time calls it, except for `limitWaiting`.
package final class CapturePipe: CapturePacketSink, @unchecked Sendable {
    /// How long to wait for a reader that reads nothing at the end, in seconds.
    private static let ending = 3
    /// How long after its reader the recording may end, in seconds.
    private static let delay = 1.0

    private let end: PipeEnd
    private let muxer: CaptureMuxer
    private let isHurried = Locked(false)
    private var hasClosed = false

    /// - Parameter number: The descriptor, which stays open.
    init(_ container: Container, descriptor number: Int32) throws(TranscodeError) {
        let end: PipeEnd
        do throws(SystemError) { end = try PipeEnd(duplicating: number) } catch {
            throw TranscodeError(.outputPipe, "standard output cannot be written: \(error)")
        }
        guard !end.isTerminal else { throw .standardOutputIsTerminal }
        self.end = end
        muxer = CaptureMuxer(container, name: StandardStream.path) { () throws(FFmpegError) in
            try Muxer(writing: end, format: container.muxerName)
        }
    }

    let skippedCount = 0
    var byteCount: Int64 { end.byteCount }

    func write(_ packet: CapturePacket) throws(TranscodeError) {
        guard !hasClosed else { return }
        do throws(FFmpegError) { try muxer.write(packet) } catch {
            guard error.status == -EPIPE, endsSoon() else { throw failure(error) }
            hasClosed = true
        }
    }

    /// Waits for the recording to end.
    ///
    /// - Returns: false if it continues.
    private func endsSoon() -> Bool {
        let deadline = MonotonicClock.seconds + Self.delay
        while !isHurried.withLock(\.self), MonotonicClock.seconds < deadline { Poll.wait(for: [], seconds: 0.05) }
        return isHurried.withLock(\.self)
    }

    func finish() throws(TranscodeError) {
        guard !hasClosed else { return }
        do throws(FFmpegError) { try muxer.finish() } catch {
            guard error.status == -EPIPE else { throw failure(error) }
        }
    }

    func limitWaiting() {
        end.limitWaits(toSeconds: Self.ending)
        isHurried.withLock { $0 = true }
    }

    private func failure(_ error: FFmpegError) -> TranscodeError {
        switch error.kind {
        case _ where error.status == -EPIPE: .standardOutputClosed
        case _ where error.status == -ETIMEDOUT:
            TranscodeError(.outputReader, "the program reading standard output accepts no data")
        case .noSpace, .permission: TranscodeError(output: "standard output cannot be written", -error.status)
        default: TranscodeError(.outputWrite, "standard output cannot be written: \(error)").caused(by: "\(error)")
        }
    }
}
