import VTXMedia
import VTXSystem

/// The results of a session, as an asynchronous sequence for one reader at a time.
///
/// Results are buffered until they are read. A loop can stop, and another iterator can continue. If the buffer is full
/// and the loop that read it has ended, passing more data into the session throws `outputNotRead`.
public struct SessionOutputs<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = SessionError

    let queue: OutputQueue<Element>

    public struct AsyncIterator: AsyncIteratorProtocol {
        public typealias Failure = SessionError

        let reader: OutputReader<Element>

        /// The next result; nil after the session has been invalidated.
        ///
        /// - Throws: the ``SessionError`` that ended the session.
        public mutating func next() async throws(SessionError) -> Element? { try await reader.queue.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: OutputReader(queue)) }
}

/// Tracks the lifetime of an iterator, so that the queue notices when the loop that reads has ended.
final class OutputReader<Element: Sendable>: Sendable {
    let queue: OutputQueue<Element>

    init(_ queue: OutputQueue<Element>) {
        self.queue = queue
        queue.addReader()
    }

    deinit { queue.removeReader() }
}

/// The buffered results of a session.
final class OutputQueue<Element: Sendable>: Sendable {
    /// The loop that waits for a result.
    private typealias Reader = CheckedContinuation<Result<Element?, SessionError>, Never>

    private struct State {
        var elements: [Element] = []
        var ending: Result<Void, SessionError>?
        var reader: Reader?
        var writers: [CheckedContinuation<Void, Never>] = []
        var readerCount = 0
        var hasBeenRead = false

        /// Whether results wait and the loop that read them has ended.
        var isAbandoned: Bool { ending == nil && hasBeenRead && readerCount == 0 }
    }

    private let state = Locked(State())
    /// The number of buffered results at which ``waitForRoom()`` waits, or throws if the reader has ended.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    func put(_ element: Element) {
        let reader = state.withLock { state -> Reader? in
            guard state.ending == nil else { return nil }
            defer { state.reader = nil }
            if state.reader == nil { state.elements.append(element) }
            return state.reader
        }
        reader?.resume(returning: .success(element))
    }

    /// Ends the queue. Buffered results can still be read; after them the reader gets nil, or the error.
    func end(_ ending: Result<Void, SessionError>) {
        let waiting = state.withLock { state in
            if state.ending == nil { state.ending = ending }
            defer { (state.reader, state.writers) = (nil, []) }
            return (reader: state.reader, writers: state.writers)
        }
        if let reader = waiting.reader { Self.resume(reader, with: ending) }
        for writer in waiting.writers { writer.resume() }
    }

    /// The number of buffered results.
    var count: Int { state.withLock { $0.elements.count } }

    /// Whether another result fits. Also true if the session has ended.
    var hasRoom: Bool { state.withLock { $0.ending != nil || $0.elements.count < limit } }

    /// - Throws: `.outputNotRead` if the buffer is full and its reader has ended.
    func checkReader() throws(SessionError) {
        let isStuck = state.withLock { $0.isAbandoned && $0.elements.count >= limit }
        guard !isStuck else {
            throw SessionError(.outputNotRead, "\(count) results are waiting, but the loop that read them has ended")
        }
    }

    /// - Returns: true if there is room for another result; false if the task was cancelled first.
    /// - Throws: the same as ``checkReader()``.
    func waitForRoom() async throws(SessionError) -> Bool {
        while !hasRoom {
            if Task.isCancelled { return false }
            try checkReader()
            await withTaskCancellationHandler {
                await withCheckedContinuation { waitForReader($0) }
            } onCancel: {
                wakeWriters()
            }
        }
        return true
    }

    private func waitForReader(_ writer: CheckedContinuation<Void, Never>) {
        let mustWait = state.withLock { state in
            // Asked under the lock: a cancellation or the end of the reader that comes later finds the writer.
            let isFull = state.ending == nil && state.elements.count >= limit
            let mustWait = isFull && !state.isAbandoned && !Task.isCancelled
            if mustWait { state.writers.append(writer) }
            return mustWait
        }
        if !mustWait { writer.resume() }
    }

    func addReader() {
        state.withLock { state in
            state.readerCount += 1
            state.hasBeenRead = true
        }
    }

    func removeReader() {
        state.withLock { $0.readerCount -= 1 }
        wakeWriters()
    }

    private func wakeWriters() {
        let writers = state.withLock { state in
            defer { state.writers = [] }
            return state.writers
        }
        for writer in writers { writer.resume() }
    }

    func next() async throws(SessionError) -> Element? {
        try await withTaskCancellationHandler {
            await withCheckedContinuation { take(into: $0) }
        } onCancel: {
            cancelReader()
        }.get()
    }

    /// What the reader receives.
    private enum Step {
        case give(Element, [CheckedContinuation<Void, Never>])
        case end(Result<Void, SessionError>)
        case wait
    }

    private func take(into continuation: Reader) {
        let step = state.withLock { state -> Step in
            if !state.elements.isEmpty {
                let element = state.elements.removeFirst()
                defer { state.writers = [] }
                return .give(element, state.writers)
            }
            if let ending = state.ending { return .end(ending) }
            // A second reader would take the first one's place. A cancellation that comes later finds the reader.
            guard state.reader == nil, !Task.isCancelled else { return .end(.success(())) }
            state.reader = continuation
            return .wait
        }
        switch step {
        case .give(let element, let writers):
            for writer in writers { writer.resume() }
            continuation.resume(returning: .success(element))
        case .end(let ending): Self.resume(continuation, with: ending)
        case .wait: break
        }
    }

    private func cancelReader() {
        let reader = state.withLock { state in
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: .success(nil))
    }

    private static func resume(_ reader: Reader, with ending: Result<Void, SessionError>) {
        reader.resume(returning: ending.map { nil })
    }
}
