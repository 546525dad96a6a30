import VTXHTTP
import VTXJobs
import VTXSystem

/// Delivers events to listening clients: stored events with their numbers, and transient ones (progress) without.
final class EventHub: TransientEventListener {
    fileprivate struct Listener {
        var stream: HTTPStream
        var job: JobID?
        /// The number of the last event the client has or will get from the store.
        var lastNumber: Int64
        /// Events that wait while earlier ones are being sent from the store.
        var waiting: [NumberedEvent]?
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var nextID = 0
        var isEnded = false
    }

    private let state = Locked(State())
    private let log: any EventLog
    private static let page = 500

    init(_ log: any EventLog) { self.log = log }

    var count: Int { state.withLock { $0.listeners.count } }

    /// Subscribes to the log of stored events.
    func start() { log.observe { [weak self] in self?.publish($0) } }

    /// Publishes stored events in the order of their numbers: a listener has all events up to the last one it was sent.
    private func publish(_ events: [NumberedEvent]) {
        guard !events.isEmpty else { return }
        state.withLock { state in
            for (id, listener) in state.listeners {
                let wanted = events.filter { listener.wants($0.event.job) && $0.number > listener.lastNumber }
                if listener.waiting != nil {
                    state.listeners[id]?.waiting? += wanted
                } else if let last = wanted.last {
                    state.listeners[id]?.lastNumber = last.number
                    listener.stream.send(wanted.map(Self.text).joined())
                }
            }
        }
    }

    /// Publishes an event that is not stored.
    func publish(_ event: LoggedEvent) {
        let text = "event: \(event.type)\ndata: \(event.body)\n\n"
        state.withLock { state in
            for listener in state.listeners.values where listener.wants(event.job) && listener.waiting == nil {
                listener.stream.send(text)
            }
        }
    }

    /// Keeps silent connections open, and detects clients that have disconnected.
    func ping() { state.withLock { state in state.listeners.values.forEach { $0.stream.send(": ping\n\n") } } }

    /// Ends all streams, also those of clients that reconnect.
    func endAll() {
        state.withLock { state in
            state.isEnded = true
            state.listeners.values.forEach { $0.stream.end() }
        }
    }

    /// Returns a stream of events, beginning with past ones. After `endAll` it has ended already.
    ///
    /// - Parameter lastNumber: The last event that the client has; nil for no past events. If there is no such event
    ///   yet, the stream begins with the first one.
    func listen(to job: JobID?, after lastNumber: Int64?) throws(StoreError) -> HTTPStream {
        let stream = HTTPStream(limit: 4 << 20)
        let newest = try log.lastEventNumber()
        // A later number is another server's, or from before this one's state: nothing of these events is known.
        let start = lastNumber.map { $0 > newest ? 0 : $0 } ?? newest
        guard let id = add(Listener(stream: stream, job: job, lastNumber: start, waiting: [])) else {
            stream.end()
            return stream
        }
        stream.onClose { [state] in state.withLock { $0.listeners[id] = nil } }
        stream.send("retry: 2000\n\n")
        do throws(StoreError) { try sendPast(id, stream, job, after: start) } catch {
            state.withLock { $0.listeners[id] = nil }
            throw error
        }
        return stream
    }

    /// - Returns: its ID; nil after `endAll`.
    private func add(_ listener: Listener) -> Int? {
        state.withLock { state in
            guard !state.isEnded else { return nil }
            state.nextID += 1
            state.listeners[state.nextID] = listener
            return state.nextID
        }
    }

    private func sendPast(_ id: Int, _ stream: HTTPStream, _ job: JobID?, after start: Int64) throws(StoreError) {
        var last = start
        while true {
            let events = try log.events(after: last, of: job, limit: Self.page)
            last = events.last?.number ?? last
            guard stream.send(events.map(Self.text).joined()), events.count == Self.page else { break }
        }
        state.withLock { state in
            guard let listener = state.listeners[id] else { return }
            let late = (listener.waiting ?? []).filter { $0.number > last }
            stream.send(late.map(Self.text).joined())
            state.listeners[id]?.waiting = nil
            state.listeners[id]?.lastNumber = late.last?.number ?? last
        }
    }

    private static func text(_ event: NumberedEvent) -> String {
        "id: \(event.number)\nevent: \(event.event.type)\ndata: \(event.event.body)\n\n"
    }
}

extension EventHub.Listener {
    fileprivate func wants(_ job: JobID?) -> Bool { self.job == nil || self.job == job }
}
