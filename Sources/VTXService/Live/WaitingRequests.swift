import VTXHTTP
import VTXSystem

/// The requests that wait for files to change, and the thread that the kernel wakes when they do (inotify). A change
/// wakes it once, however many requests wait for it.
final class WaitingRequests: Sendable {
    private struct Waiting {
        var request: LiveRequest
        var reply: HTTPReply
        /// In seconds of the monotonic clock.
        var deadline: Double
    }

    private struct State {
        var waiting: [ObjectIdentifier: Waiting] = [:]
        /// The watched directories, by inotify's numbers: links may give one several names.
        var directories: [Int32: Set<String>] = [:]
        /// When the thread wakes without a change.
        var nextLook = Double.infinity
    }

    private let files: LiveFiles
    private let events: DirectoryEvents
    private let wakeUp: WakeUp
    private let state = Locked(State())
    private let threads = StoppableThreads()

    init(_ files: LiveFiles) throws(SystemError) {
        self.files = files
        events = try DirectoryEvents()
        wakeUp = try WakeUp()
    }

    func start() throws(SystemError) { try threads.start("vtx-live") { [self] in run() } }
    func stop() { threads.stop { wakeUp.wake() } }

    var count: Int { state.withLock { $0.waiting.count } }

    // MARK: Requests

    func take(_ request: LiveRequest, _ reply: HTTPReply) {
        do throws(Problem) {
            switch try files.answer(request) {
            case .response(let response): reply.send(response.published(for: request.origin))
            case .wait(let seconds):
                try watch(request.directory)
                add(Waiting(request: request, reply: reply, deadline: MonotonicClock.seconds + seconds))
                // It may have changed before it was watched.
                settle([ObjectIdentifier(reply)])
            }
        } catch { reply.send(error.response.published(for: request.origin)) }
    }

    private func add(_ waiting: Waiting) {
        let isFirst = state.withLock { state in
            state.waiting[ObjectIdentifier(waiting.reply)] = waiting
            return waiting.deadline < state.nextLook
        }
        if isFirst { wakeUp.wake() }
    }

    /// Sends the replies that no longer have to wait.
    private func settle(_ keys: [ObjectIdentifier]) {
        for key in keys {
            guard let waiting = state.withLock({ $0.waiting[key] }) else { continue }
            let response: HTTPResponse
            do throws(Problem) {
                guard case .response(let found) = try files.answer(waiting.request) else { continue }
                response = found
            } catch { response = error.response }
            send(response, key)
        }
    }

    private func send(_ response: HTTPResponse, _ key: ObjectIdentifier) {
        guard let waiting = state.withLock({ $0.waiting.removeValue(forKey: key) }) else { return }
        waiting.reply.send(response.published(for: waiting.request.origin))
    }

    // MARK: Changes

    private func watch(_ directory: String) throws(Problem) {
        do throws(SystemError) {
            let opened = try files.openDirectory(directory)
            // Links are not followed, and the path of a descriptor is one.
            let path = "\(opened.path)/."
            try state.withLock { state throws(SystemError) in
                let number = try events.watch(path)
                state.directories[number, default: []].formUnion([directory])
            }
        } catch {
            throw Problem(503, "directory.unwatched", "'\(directory)' cannot be watched: \(error.reason)")
        }
    }

    private func run() {
        while !threads.isStopping {
            let now = MonotonicClock.seconds
            expire(at: now)
            let next = state.withLock { state in
                state.nextLook = state.waiting.values.map(\.deadline).min() ?? .infinity
                return state.nextLook
            }
            let seconds = next == .infinity ? nil : max(0, next - now)
            Poll.wait(for: [.readable(events.number), .readable(wakeUp.number)], seconds: seconds)
            wakeUp.reset()
            look((try? events.read()) ?? [])
        }
    }

    private func expire(at now: Double) {
        let late = state.withLock { state in state.waiting.filter { $0.value.deadline <= now } }
        // The kernel does not tell of changes on other hosts.
        settle(Array(late.keys))
        for (key, waiting) in late { send(LiveFiles.late(waiting.request).response, key) }
    }

    private func look(_ events: [DirectoryEvents.Event]) {
        let areLost = events.contains { [.lost, .overflow].contains($0.kind) }
        let changed = state.withLock { state in
            let files = events.filter { [.complete, .gone].contains($0.kind) }
            return Set(files.flatMap { Self.paths($0, in: state.directories) })
        }
        changed.filter(Self.isPlaylist).forEach(files.refresh)
        let keys = state.withLock { state in
            state.waiting.filter { areLost || Self.concern(changed, $0.value.request) }.map(\.key)
        }
        settle(keys)
        if areLost { watchAgain(events.filter { $0.kind == .lost }.map(\.directory)) }
    }

    /// Watches the directories that have replaced others.
    private func watchAgain(_ lost: [Int32]) {
        let directories = state.withLock { state in
            lost.forEach { state.directories[$0] = nil }
            return Set(state.waiting.values.map(\.request.directory))
        }
        for directory in directories { try? watch(directory) }
    }

    private static func paths(_ event: DirectoryEvents.Event, in directories: [Int32: Set<String>]) -> [String] {
        (directories[event.directory] ?? []).map { $0.isEmpty ? event.name : "\($0)/\(event.name)" }
    }

    private static func isPlaylist(_ path: String) -> Bool { MediaType.of(path) == MediaType.playlist }

    /// Whether a request has to be looked at again. A part may no longer be the one that a playlist hints at.
    private static func concern(_ changed: Set<String>, _ request: LiveRequest) -> Bool {
        if changed.contains(request.path) { return true }
        guard !request.isPlaylist else { return false }
        return changed.contains { isPlaylist($0) && LiveRequest.directory(of: $0) == request.directory }
    }
}
