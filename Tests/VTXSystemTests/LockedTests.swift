import Testing
import VTXSystem

@Suite("A value guarded by a lock")
struct LockedTests {
    @Test("no change is lost between threads")
    func counts() async {
        let counter = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<1000 { counter.withLock { $0 += 1 } } }
            }
        }
        #expect(counter.withLock { $0 } == 8000)
    }

    @Test("it is a lock without a value")
    func nothing() async {
        let lock = Locked(())
        nonisolated(unsafe) let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        defer { count.deallocate() }
        count.initialize(to: 0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<1000 { lock.withLock { _ in count.pointee += 1 } } }
            }
        }
        #expect(count.pointee == 8000)
    }

    @Test("an error releases the lock and keeps the value's changes")
    func errors() {
        struct Failure: Error {}
        let value = Locked(1)
        #expect(throws: Failure.self) {
            try value.withLock { number throws(Failure) in
                number = 2
                throw Failure()
            }
        }
        #expect(value.withLock { $0 } == 2)
    }
}
