import VTXCluster
import VTXJSON
import VTXJobs
import VTXSystem

/// Sends a worker's reports in order, as soon as a server is reachable.
final class ClusterOutbox: TransientEventListener {
    private let cluster: Cluster
    private let waiting = BoundedQueue<ClusterReport>(capacity: 4096)
    private let thread = Locked<Thread?>(nil)

    init(_ cluster: Cluster) { self.cluster = cluster }

    /// Adds a report. If the buffer is full because nothing could be sent for long, the oldest report is dropped.
    func add(_ report: ClusterReport) { _ = try? waiting.pushReplacingOldest(report) }

    /// Publishes progress, which may be lost.
    func publish(_ event: LoggedEvent) {
        if let job = event.job, event.type == "progress" { try? cluster.publishProgress(event.body, of: job) }
    }

    func start() throws(SystemError) {
        let started = try Thread("vtx-outbox") { [self] in
            while let report = (try? waiting.pop()) ?? nil { send(report) }
        }
        thread.withLock { $0 = started }
    }

    /// Sends what waits, if possible, and stops.
    func stop() {
        waiting.finish()
        thread.withLock { $0.take() }?.join()
        cluster.flush()
    }

    private func send(_ report: ClusterReport) {
        while true {
            do throws(NATSError) { return try cluster.report(report.text, of: report.kind) } catch {
                if error.kind == .tooLarge { return Log.error("a report is lost: \(error)") }
                if thread.withLock({ $0 == nil }) { return }
                Pause.seconds(0.5)
            }
        }
    }
}
