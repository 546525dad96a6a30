import VTXCluster
import VTXJSON
import VTXJobs
import VTXSystem

/// Receives the events of a server's cluster: changes of jobs, reports of workers, and progress.
final class ClusterInbox: Sendable {
    private let cluster: Cluster
    /// The name of this server, for which NATS keeps the position in the streams.
    private let server: String
    private let loop: JobLoop
    private let threads = StoppableThreads()

    init(_ cluster: Cluster, server: String, _ loop: JobLoop) {
        (self.cluster, self.server, self.loop) = (cluster, server, loop)
    }

    func start() throws(SystemError) {
        try threads.start("vtx-changes") { [self] in
            repeating(isLogged: true) { () throws(NATSError) in
                for change in try cluster.changes(for: server, seconds: 1) { loop.send(.news(.change(change))) }
            }
        }
        try threads.start("vtx-reports") { [self] in
            repeating { () throws(NATSError) in
                for report in try cluster.reports(for: server, seconds: 1) { loop.send(.news(.report(report))) }
            }
        }
        try threads.start("vtx-progress") { [self] in
            follow({ () throws(NATSError) in try cluster.listenToProgress() }) { message in
                guard let value = try? JSONValue(parsing: message.text),
                    let job = value["job"]?.string.flatMap({ JobID($0) })
                else { return }
                loop.send(.progress(job, JobProgress(value)))
            }
        }
        try threads.start("vtx-pictures") { [self] in
            follow({ () throws(NATSError) in try cluster.listenToPictures() }) { loop.send(.news(.picture($0))) }
        }
    }

    func stop() { threads.stop() }

    /// - Parameter isLogged: Whether to log a problem. Of several threads with the same problem, one logs it.
    private func repeating(isLogged: Bool = false, _ body: () throws(NATSError) -> Void) {
        var log = isLogged ? ReachabilityLog() : nil
        while !threads.isStopping {
            do throws(NATSError) {
                try body()
                log?.noteAnswer()
            } catch {
                log?.note(error)
                Pause.seconds(0.5)
            }
        }
    }

    /// Receives messages that are not stored.
    private func follow(_ listen: () throws(NATSError) -> NATSSubscription, _ receive: (NATSMessage) -> Void) {
        var subscription: NATSSubscription?
        while !threads.isStopping {
            if subscription == nil { subscription = try? listen() }
            if subscription == nil { Pause.seconds(0.5) }
            if let message = (try? subscription?.next(seconds: 1)) ?? nil { receive(message) }
        }
    }
}

/// Logs once that the cluster is unreachable, and once that it is reachable again.
struct ReachabilityLog {
    private var isLost = false

    mutating func noteAnswer() {
        if isLost { Log.info("the cluster is reachable again") }
        isLost = false
    }

    mutating func note(_ error: NATSError) {
        if !isLost { Log.warning("the cluster cannot be reached: \(error)") }
        isLost = true
    }
}
