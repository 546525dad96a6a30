import VTXMedia
import VTXSystem

/// What a session gives out, one after the other, to one reader.
///
/// Results wait here until they are read. Reading can stop, and go on with another iterator; while there is none and
/// unread results fill the session, putting more into it throws `outputNotRead`.
public struct SessionOutputs<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = any Error

    let queue: OutputQueue<Element>

    public struct AsyncIterator: AsyncIteratorProtocol {
        let reader: OutputReader<Element>

        /// The next result; nil when the session was invalidated.
        ///
        /// - Throws: the ``SessionError`` that ended the session.
        public mutating func next() async throws -> Element? { try await reader.queue.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: OutputReader(queue)) }
}

/// An iterator's identity: it is gone when the loop that reads has ended, however that was.
final class OutputReader<Element: Sendable>: Sendable {
    let queue: OutputQueue<Element>

    init(_ queue: OutputQueue<Element>) {
        self.queue = queue
        queue.addReader()
    }

    deinit { queue.removeReader() }
}

/// What a session has given out, until it is read.
final class OutputQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var ending: Result<Void, SessionError>?
        var reader: CheckedContinuation<Element?, any Error>?
        var writers: [CheckedContinuation<Void, Never>] = []
        var readerCount = 0
        var hasBeenRead = false

        /// Full, and without a reader that makes room.
        var isAbandoned: Bool { ending == nil && hasBeenRead && readerCount == 0 }
    }

    private let state = Locked(State())
    /// How many results may wait before ``waitForRoom()`` waits, or finds that the reader has ended.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    func put(_ element: Element) {
        let reader = state.withLock { state -> CheckedContinuation<Element?, any Error>? in
            guard state.ending == nil else { return nil }
            defer { state.reader = nil }
            if state.reader == nil { state.elements.append(element) }
            return state.reader
        }
        reader?.resume(returning: element)
    }

    /// Nothing more comes. What waits can still be read; the reader then gets nil, or the error.
    func end(_ ending: Result<Void, SessionError>) {
        let waiting = state.withLock { state in
            if state.ending == nil { state.ending = ending }
            defer { (state.reader, state.writers) = (nil, []) }
            return (reader: state.reader, writers: state.writers)
        }
        if let reader = waiting.reader { Self.resume(reader, with: ending) }
        for writer in waiting.writers { writer.resume() }
    }

    /// Results that wait.
    var count: Int { state.withLock { $0.elements.count } }

    /// True also where the session has ended and nothing more is wanted.
    var hasRoom: Bool { state.withLock { $0.ending != nil || $0.elements.count < limit } }

    /// - Throws: `.outputNotRead` where results fill the session whose reader has ended.
    func checkReader() throws(SessionError) {
        let isStuck = state.withLock { $0.isAbandoned && $0.elements.count >= limit }
        guard !isStuck else {
            throw SessionError(.outputNotRead, "\(count) results wait, and the loop that read them has ended")
        }
    }

    /// - Returns: true when there is room for another result; false where the task is cancelled before there is.
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

    func next() async throws -> Element? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { take(into: $0) }
        } onCancel: {
            cancelReader()
        }
    }

    /// What a reader is told.
    private enum Step {
        case give(Element, [CheckedContinuation<Void, Never>])
        case end(Result<Void, SessionError>)
        case wait
    }

    private func take(into continuation: CheckedContinuation<Element?, any Error>) {
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
            continuation.resume(returning: element)
        case .end(let ending): Self.resume(continuation, with: ending)
        case .wait: break
        }
    }

    private func cancelReader() {
        let reader = state.withLock { state in
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    private static func resume(
        _ reader: CheckedContinuation<Element?, any Error>, with ending: Result<Void, SessionError>
    ) {
        switch ending {
        case .success: reader.resume(returning: nil)
        case .failure(let error): reader.resume(throwing: error)
        }
    }
}
