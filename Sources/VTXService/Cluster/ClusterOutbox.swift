import VTXCluster
import VTXJSON
import VTXJobs
import VTXSystem

/// Sends what a worker reports, in its order, as soon as there is a server for it.
final class ClusterOutbox: MomentListener {
    private let cluster: Cluster
    private let waiting = BoundedQueue<ClusterReport>(capacity: 4096)
    private let thread = Locked<Thread?>(nil)

    init(_ cluster: Cluster) { self.cluster = cluster }

    /// Where there is no room because nothing could be sent for long, the oldest goes.
    func add(_ report: ClusterReport) { _ = try? waiting.pushReplacingOldest(report) }

    /// Progress, which no one misses.
    func publish(_ event: LoggedEvent) {
        if let job = event.job, event.type == "progress" { try? cluster.publishProgress(event.body, of: job) }
    }

    func start() throws(SystemError) {
        let started = try Thread("vtx-outbox") { [self] in
            while let report = (try? waiting.pop()) ?? nil { send(report) }
        }
        thread.withLock { $0 = started }
    }

    /// Sends what waits, if it can be sent.
    func stop() {
        waiting.finish()
        thread.withLock { $0.take() }?.join()
        cluster.flush()
    }

    private func send(_ report: ClusterReport) {
        while true {
            do throws(NATSError) { return try cluster.report(report.text, of: report.kind) } catch {
                if error.kind == .refused { return Log.error("a report is lost: \(error)") }
                if thread.withLock({ $0 == nil }) { return }
                Pause.seconds(0.5)
            }
        }
    }
}

/// Waits without anything to wait for.
enum Pause {
    static func seconds(_ seconds: Double) { _ = try? BoundedQueue<Void>(capacity: 1).pop(timeoutSeconds: seconds) }
}
