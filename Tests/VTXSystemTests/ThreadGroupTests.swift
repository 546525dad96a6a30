import Testing
import VTXSystem

@Suite("Parallel stages")
struct ThreadGroupTests {
    struct Failure: Error, Equatable { var number: Int }

    private func failure(of group: ThreadGroup) -> (any Error)? {
        do {
            try group.wait()
            return nil
        } catch {
            return error
        }
    }

    @Test("all run, and the group waits for all")
    func success() {
        let (group, count) = (ThreadGroup(), Locked(0))
        for _ in 0..<10 { group.run("stage") { count.withLock { $0 += 1 } } }
        #expect(failure(of: group) == nil)
        #expect(count.withLock { $0 } == 10)
    }

    @Test("after the wait, all stages have released everything")
    func release() {
        final class Codec: Sendable {}
        for _ in 0..<200 {
            let group = ThreadGroup()
            weak var rest: Codec?
            do {
                let codec = Codec()
                rest = codec
                group.run("stage") { withExtendedLifetime(codec) {} }
            }
            #expect(failure(of: group) == nil)
            #expect(rest == nil)
        }
    }

    @Test("the first failure stops the others, and is reported")
    func firstFailure() {
        let (group, queue) = (ThreadGroup(), BoundedQueue<Int>(capacity: 1))
        group.onStop { queue.cancel() }
        group.run("waits") { _ = try queue.pop() }
        group.run("fails later") {
            do { _ = try queue.pop() } catch { throw Failure(number: 2) }
        }
        group.run("fails") { throw Failure(number: 1) }
        #expect(failure(of: group) as? Failure == Failure(number: 1))
    }

    @Test("stopping from outside reports its reason")
    func outside() {
        let (group, queue) = (ThreadGroup(), BoundedQueue<Int>(capacity: 1))
        group.onStop { queue.cancel() }
        group.run("waits") { _ = try queue.pop() }
        group.stop(because: Failure(number: 3))
        group.stop(because: Failure(number: 4))
        #expect(failure(of: group) as? Failure == Failure(number: 3))
    }

    @Test("a handler added after the stop is called at once, and each is called once")
    func lateHandler() {
        let (group, calls) = (ThreadGroup(), Locked(0))
        group.onStop { calls.withLock { $0 += 1 } }
        group.stop(because: Failure(number: 1))
        group.stop(because: Failure(number: 1))
        #expect(calls.withLock { $0 } == 1)
        group.onStop { calls.withLock { $0 += 10 } }
        #expect(calls.withLock { $0 } == 11)
    }
}

@Suite("Work that may never return")
struct BoundedWaitTests {
    @Test("returns in time, on another thread or without a limit", arguments: [60, nil])
    func inTime(seconds: Double?) throws {
        #expect(try Thread.run(within: seconds, "test") { 7 } == 7)
    }

    @Test("is abandoned after the limit")
    func late() throws {
        let (end, isOver) = (BoundedQueue<Bool>(capacity: 1), BoundedQueue<Bool>(capacity: 1))
        let answer = try Thread.run(within: 0.01, "test") {
            _ = try? end.pop()
            try? isOver.push(true)
            return 7
        }
        #expect(answer == nil)
        try end.push(true)
        #expect(try isOver.pop() == true)
    }
}
