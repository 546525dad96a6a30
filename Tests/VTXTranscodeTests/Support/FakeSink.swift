import VTXFFmpeg
import VTXMedia
import VTXSystem

@testable import VTXTranscode

/// Records its input, and fails on request.
final class FakeSink: PacketSink {
    struct Broken: Error {}

    struct Log: Sendable {
        var opened: [Int] = []
        var written: [Int: [Int64]] = [:]
        var isFinished = false
    }

    let log = Locked(Log())
    private let breaksAt: Int?

    /// - Parameter breaksAt: the packet, counted from 1, that fails; 0 for the first `open`.
    init(breaksAt: Int? = nil) { self.breaksAt = breaksAt }

    func open(_ stream: Int, _ description: OutputStreamDescription) throws {
        if breaksAt == 0 { throw Broken() }
        log.withLock { $0.opened.append(stream) }
    }

    func write(_ packet: Packet, to stream: Int) throws {
        let count = log.withLock { log -> Int in
            log.written[stream, default: []].append(packet.pts ?? .min)
            return log.written.values.reduce(0) { $0 + $1.count }
        }
        if count == breaksAt { throw Broken() }
    }

    func finish() throws { log.withLock { $0.isFinished = true } }

    /// A hundred for each packet.
    var byteCount: Int64 { log.withLock { log in log.written.values.reduce(0) { $0 + 100 * Int64($1.count) } } }
}
