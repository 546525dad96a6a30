package import VTXJSON
package import VTXJobs
import VTXSystem

// MARK: Work

extension Cluster {
    /// Puts a job where workers find it; one that is there already is there once.
    package func offer(_ job: Job) throws(NATSError) {
        _ = try using { _ throws(NATSError) in try jetStream.store("", as: WorkSubject(of: job).text) }
    }

    /// The same for a job that was written down and perhaps not offered: a message that a worker may have already stays.
    package func offerIfMissing(_ job: Job) throws(NATSError) {
        do throws(NATSError) {
            _ = try using { _ throws(NATSError) in
                try jetStream.store("", as: WorkSubject(of: job).text, expecting: JetStream.Expectation.none)
            }
        } catch { if error.kind != .conflict { throw error } }
    }

    /// Waits a moment for a job, those of a high priority first.
    ///
    /// - Parameter hardware: whether this worker has a GPU.
    package func nextWork(hardware: Bool) throws(NATSError) -> NATSMessage? {
        for priority in WorkSubject.Priority.allCases {
            for needs in hardware ? WorkSubject.Hardware.allCases : [.any] {
                var consumer = JetStream.Consumer(
                    "work-\(needs.rawValue)-\(priority.rawValue)", of: Self.workStream,
                    subject: WorkSubject.pattern(needs, priority), ackSeconds: Self.silence)
                // All that are worked on at one time, in the whole cluster.
                consumer.maxPending = 100_000
                if let message = try fetch(consumer, 1, seconds: 0.1).first { return message }
            }
        }
        return nil
    }

    /// The worker that has it is alive.
    package func keep(_ message: NATSMessage) throws(NATSError) { try connection.publish("+WPI", to: message.reply) }

    /// It was done.
    package func acknowledge(_ message: NATSMessage) throws(NATSError) {
        try connection.publish("+ACK", to: message.reply)
    }

    /// Another worker may have it.
    package func giveBack(_ message: NATSMessage, after seconds: Double = 0) throws(NATSError) {
        let delay = seconds > 0 ? " {\"delay\": \(Int64(seconds * 1e9))}" : ""
        try connection.publish("-NAK\(delay)", to: message.reply)
    }
}

// MARK: What is told

extension Cluster {
    /// Keeps something for the servers.
    package func report(_ text: String, of kind: String) throws(NATSError) {
        _ = try using { _ throws(NATSError) in try jetStream.store(text, as: "vtx.events.\(kind)") }
    }

    /// What was reported since this server last asked.
    package func reports(for server: String, seconds: Double) throws(NATSError) -> [NATSMessage] {
        let consumer = JetStream.Consumer(
            "serve-\(server)", of: Self.eventStream, subject: "vtx.events.>", ackSeconds: Self.silence)
        return try fetch(consumer, 64, seconds: seconds)
    }

    /// Sends what was published.
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
