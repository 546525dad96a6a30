package import VTXJSON
package import VTXJobs
import VTXSystem

// MARK: Work

extension Cluster {
    /// Adds a job to the work queue, at most once.
    package func offer(_ job: Job) throws(NATSError) {
        _ = try using { _ throws(NATSError) in try jetStream.store("", as: WorkSubject(of: job).text) }
    }

    /// Adds a stored job to the work queue unless it is there. A message that a worker may already have is kept.
    package func offerIfMissing(_ job: Job) throws(NATSError) {
        do throws(NATSError) {
            _ = try using { _ throws(NATSError) in
                try jetStream.store("", as: WorkSubject(of: job).text, expecting: JetStream.Expectation.none)
            }
        } catch { if error.kind != .conflict { throw error } }
    }

    /// Waits briefly for a job, high priorities first.
    ///
    /// - Parameter hardware: Whether this worker has a GPU.
    package func nextWork(hardware: Bool) throws(NATSError) -> NATSMessage? {
        for priority in WorkSubject.Priority.allCases {
            for needs in hardware ? WorkSubject.Hardware.allCases : [.any] {
                var consumer = JetStream.Consumer(
                    "work-\(needs.rawValue)-\(priority.rawValue)", of: Self.workStream,
                    subject: WorkSubject.pattern(needs, priority), ackSeconds: Self.silence)
                // The limit for all jobs in progress in the whole cluster.
                consumer.maxPending = 100_000
                if let message = try fetch(consumer, 1, seconds: 0.1).first { return message }
            }
        }
        return nil
    }

    /// Tells the queue that the message's worker is alive.
    package func keep(_ message: NATSMessage) throws(NATSError) { try connection.publish("+WPI", to: message.reply) }

    /// Removes a message whose job is done.
    package func acknowledge(_ message: NATSMessage) throws(NATSError) {
        try connection.publish("+ACK", to: message.reply)
    }

    /// Returns a message to the queue for another worker.
    package func giveBack(_ message: NATSMessage, after seconds: Double = 0) throws(NATSError) {
        let delay = seconds > 0 ? " {\"delay\": \(Int64(seconds * 1e9))}" : ""
        try connection.publish("-NAK\(delay)", to: message.reply)
    }
}

// MARK: Reports

extension Cluster {
    /// Stores a report for the servers.
    package func report(_ text: String, of kind: String) throws(NATSError) {
        _ = try using { _ throws(NATSError) in try jetStream.store(text, as: "vtx.events.\(kind)") }
    }

    /// Returns the reports since this server's last call.
    package func reports(for server: String, seconds: Double) throws(NATSError) -> [NATSMessage] {
        let consumer = JetStream.Consumer(
            "serve-\(server)", of: Self.eventStream, subject: "vtx.events.>", ackSeconds: Self.silence)
        return try fetch(consumer, 64, seconds: seconds)
    }

    /// Sends all published messages.
    package func flush() { connection.flush(seconds: 2) }

    // MARK: Workers

    package func put(worker key: String, _ value: JSONValue) throws(NATSError) {
        try using { prepared throws(NATSError) in try prepared.workers.put(key, value.text) }
    }

    package func remove(worker key: String) throws(NATSError) {
        try using { prepared throws(NATSError) in try prepared.workers.remove(key) }
    }

    package func workers() throws(NATSError) -> [JSONValue] {
        try using { prepared throws(NATSError) in
            var found: [JSONValue] = []
            for key in try prepared.workers.keys().sorted() {
                if let text = try prepared.workers.value(key)?.text, let value = try? JSONValue(parsing: text) {
                    found.append(value)
                }
            }
            return found
        }
    }
}
