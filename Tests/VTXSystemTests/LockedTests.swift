import Testing
import VTXSystem

@Suite("A value that a lock guards")
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

    @Test("without a value it is a lock all the same")
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

    @Test("an error leaves the lock open and the value as it was left")
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
