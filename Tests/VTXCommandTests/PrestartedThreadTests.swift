import Glibc
import Testing
import VTXMedia
import VTXSystem

@testable import VTXCommand

@Suite("A thread that stands by")
struct PrestartedThreadTests {
    @Test("does what it is given, elsewhere")
    func runs() {
        let seen = Locked<(value: Int, thread: pthread_t)?>(nil)
        let thread = PrestartedThread<Int> { value in seen.withLock { $0 = (value, pthread_self()) } }
        #expect(seen.withLock { $0 == nil })
        thread.run(7)
        thread.wait(milliseconds: 600_000)
        #expect(seen.withLock { $0?.value } == 7)
        #expect(seen.withLock { $0?.thread } != pthread_self())
    }

    @Test("is not waited for longer than that")
    func isSlow() {
        let (isReleased, isDone) = (Locked(false), Locked(false))
        let thread = PrestartedThread<Int> { _ in
            while !isReleased.withLock(\.self) { sched_yield() }
            isDone.withLock { $0 = true }
        }
        thread.run(1)
        thread.wait(milliseconds: 1)
        #expect(!isDone.withLock { $0 })
        isReleased.withLock { $0 = true }
        thread.wait(milliseconds: 600_000)
        #expect(isDone.withLock { $0 })
    }
}
