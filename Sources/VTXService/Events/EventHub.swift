import VTXHTTP
import VTXJobs
import VTXSystem

/// Hands events to the clients that listen: what was written down with its number, what is true for a moment only
/// (progress) without one.
final class EventHub: MomentListener {
    fileprivate struct Listener {
        var stream: HTTPStream
        var job: JobID?
        /// What it has already, or will be sent from the store.
        var lastNumber: Int64
        /// The past is being sent: what comes meanwhile has to wait.
        var waiting: [NumberedEvent]?
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var nextID = 0
    }

    private let state = Locked(State())
    private let log: any EventLog
    private static let page = 500

    init(_ log: any EventLog) { self.log = log }

    var count: Int { state.withLock { $0.listeners.count } }

    /// Has the log tell of what is written down.
    func start() { log.observe { [weak self] in self?.publish($0) } }

    /// Tells of events that have been written down. They come in the order of their numbers: a listener has all up to
    /// the last one that it was sent.
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

    /// Tells of something that is not written down.
    func publish(_ event: LoggedEvent) {
        let text = "event: \(event.type)\ndata: \(event.body)\n\n"
        state.withLock { state in
            for listener in state.listeners.values where listener.wants(event.job) && listener.waiting == nil {
                listener.stream.send(text)
            }
        }
    }

    /// Keeps connections open that are silent, and notices clients that have gone.
    func ping() { state.withLock { state in state.listeners.values.forEach { $0.stream.send(": ping\n\n") } } }

    func endAll() { state.withLock { state in state.listeners.values.forEach { $0.stream.end() } } }

    /// A stream of events, those of the past first.
    ///
    /// - Parameter lastNumber: what the client has; nil for nothing of the past.
    func listen(to job: JobID?, after lastNumber: Int64?) throws(StoreError) -> HTTPStream {
        let stream = HTTPStream(limit: 4 << 20)
        let start = if let lastNumber { lastNumber } else { try log.lastEventNumber() }
        let id = state.withLock { state in
            state.nextID += 1
            state.listeners[state.nextID] = Listener(stream: stream, job: job, lastNumber: start, waiting: [])
            return state.nextID
        }
        stream.onClose { [state] in state.withLock { $0.listeners[id] = nil } }
        stream.send("retry: 2000\n\n")
        do throws(StoreError) { try sendPast(id, stream, job, after: start) } catch {
            state.withLock { $0.listeners[id] = nil }
            throw error
        }
        return stream
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
