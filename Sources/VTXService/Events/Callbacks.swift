import FoundationEssentials
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

/// Notifies clients of the ends of their jobs, by webhooks as specified by standardwebhooks.com.
///
/// A pending callback is stored together with the job's end and removed when it has been accepted, so each one is
/// delivered at least once, whichever process is killed.
final class Callbacks: Sendable {
    private struct Pending: Sendable {
        var job: JobID
        var failures = 0
        /// In seconds of the monotonic clock.
        var due = 0.0
    }

    private let rules: URLRules
    private let secret: CallbackSecret
    private let records: any RecordStore
    private let client = HTTPClient()
    private let waiting = BoundedQueue<Pending>(capacity: 65536)
    private let due = BoundedQueue<Pending>(capacity: 65536)
    private let threads = StoppableThreads()

    /// The maximum number of retries, over two hours.
    private static let maxFailures = 12
    private static let backoff = Backoff(first: 2, longest: 3600)
    /// The number of threads, so that a slow receiver delays only a part of the others.
    private static let senders = 4

    init(_ rules: URLRules, _ secret: CallbackSecret, _ records: any RecordStore) {
        self.rules = rules
        self.secret = secret
        self.records = records
    }

    func jobEnded(_ job: Job) {
        if job.specification.callback != nil { try? waiting.push(Pending(job: job.id)) }
    }

    /// Starts, first with the callbacks that the previous server did not deliver.
    func start() throws {
        let old = try records.records(RecordCollections.callbacks).compactMap {
            JobID($0.name).map { Pending(job: $0) }
        }
        try threads.start("vtx-callbacks") { [self] in schedule(old) }
        for _ in 0..<Self.senders {
            try threads.start("vtx-callback") { [self] in
                while let next = (try? due.pop()) ?? nil { deliver(next) }
            }
        }
    }

    func stop() {
        threads.stop {
            waiting.cancel()
            due.cancel()
        }
    }

    private func schedule(_ old: [Pending]) {
        var pending = old
        while true {
            let seconds = (pending.map(\.due).min() ?? .infinity) - MonotonicClock.seconds
            do throws(QueueCancelled) {
                if let next = try waiting.pop(timeoutSeconds: max(0, min(60, seconds))) { pending.append(next) }
                let now = MonotonicClock.seconds
                for next in pending where next.due <= now { try due.push(next) }
                pending.removeAll { $0.due <= now }
            } catch { return }
        }
    }

    private func deliver(_ pending: Pending) {
        let found: JSONValue?
        do throws(StoreError) { found = try records.record(RecordCollections.callbacks, pending.job.text) } catch {
            // A failure of the store is not one of the receiver.
            return wait(pending)
        }
        guard let record = found else { return }
        guard let problem = send(record) else { return forget(pending, record) }
        var next = pending
        next.failures += 1
        guard next.failures <= Self.maxFailures else {
            Log.warning("the callback of job \(pending.job) failed permanently: \(problem)")
            return forget(pending, record)
        }
        wait(next)
    }

    private func wait(_ pending: Pending) {
        var pending = pending
        pending.due = MonotonicClock.seconds + Self.backoff.seconds(max(1, pending.failures), of: pending.job.text)
        try? waiting.push(pending)
    }

    /// Removes a delivered callback, unless the job has been retried and has ended again.
    private func forget(_ pending: Pending, _ delivered: JSONValue) {
        guard let record = try? records.record(RecordCollections.callbacks, pending.job.text), record == delivered
        else {
            return
        }
        _ = try? records.removeRecord(RecordCollections.callbacks, pending.job.text)
    }

    /// - Returns: why it was not accepted; nil if it was.
    private func send(_ record: JSONValue) -> String? {
        let (url, body) = (record["url"]?.string ?? "", record["body"]?.string ?? "")
        do {
            var request = try rules.request("POST", url, "callback")
            request.body = Array(body.utf8)
            (request.timeout, request.limit) = (10, 64 << 10)
            request.headers = [("Content-Type", "application/json")]
            request.headers += secret.headers(record["id"]?.string ?? "", body, at: .now)
            let response = try client.send(request, isCancelled: { [threads] in threads.isStopping })
            return (200...299).contains(response.status) ? nil : "the response has status \(response.status)"
        } catch let problem as Problem { return problem.detail } catch { return "\(error)" }
    }
}

/// The secret that signs callbacks.
package struct CallbackSecret: Sendable {
    private let key: [UInt8]

    private static let prefix = "whsec_"

    /// - Parameter text: `whsec_` and base64.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), let key = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
            key.count >= 24
        else { return nil }
        self.key = Array(key)
    }

    /// Reads the secret from a file. Creates a new one if there is no file.
    package init(file path: String) throws {
        if FileStatus(path) == nil {
            try AtomicFile.write(Self.make() + "\n", to: path, replaces: false)
            PrivateFile.close(path)
        }
        let text = TextFile.read(path)?.split(whereSeparator: \.isWhitespace).first ?? ""
        guard let secret = Self(String(text)) else {
            throw Problem(400, "callback.secret", "'\(path)' has no secret: whsec_ with 24 bytes or more in base64")
        }
        self = secret
    }

    private static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return prefix + Data(bytes).base64EncodedString()
    }

    /// Signs id, time and body, so that a recorded message cannot be replayed much later.
    func headers(_ id: String, _ body: String, at now: Timestamp) -> [(name: String, value: String)] {
        let time = String(now.milliseconds / 1000)
        let code = Data(HMAC.sha256("\(id).\(time).\(body)".utf8, key: key)).base64EncodedString()
        return [("webhook-id", id), ("webhook-timestamp", time), ("webhook-signature", "v1,\(code)")]
    }
}
