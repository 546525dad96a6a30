import Glibc
import Testing

@testable import VTXSystem

@Suite("Process state from /proc and waitpid")
struct ProcessTests {
    @Test("a wait status is an exit code or a signal, with a core or without")
    func waitStatus() {
        #expect(ProcessEnding(waitStatus: 0) == .exited(0))
        #expect(ProcessEnding(waitStatus: 0x8200) == .exited(130))
        #expect(ProcessEnding(waitStatus: SIGABRT) == .killed(signal: SIGABRT))
        #expect(ProcessEnding(waitStatus: 0x80 | SIGSEGV) == .killed(signal: SIGSEGV))
    }

    @Test("a process has at least one CPU and some memory")
    func machine() {
        let here = Machine.here
        #expect((1...max(1, sysconf(Int32(_SC_NPROCESSORS_CONF)))).contains(here.cores))
        let pages = Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE)))
        #expect((1...pages).contains(here.memory))
    }

    @Test("only a process's own signals count as a crash")
    func crashes() {
        #expect(ProcessEnding.killed(signal: SIGBUS).isCrash)
        #expect(!ProcessEnding.killed(signal: SIGKILL).isCrash)
        #expect(!ProcessEnding.exited(1).isCrash)
    }

    @Test("the status is read after any program name")
    func status() {
        let text = "42 (a ) S (b) T 1 42 42 0 -1 4194560 1 2 3 4 150 50 0 0 20 0 9 0 77\n"
        #expect(ProcessStatus(stat: text) == ProcessStatus(stat: "1 (x) t 1 2 3 4 5 6 7 8 9 10 120 80 0"))
        #expect(ProcessStatus(stat: text)?.isStopped == true)
        #expect(ProcessStatus(stat: text)?.ticks == 200)
        #expect(ProcessStatus(stat: text.replacing(") T ", with: ") S "))?.isStopped == false)
        #expect(ProcessStatus(stat: "") == nil && ProcessStatus(stat: "1 (x) S 1") == nil)
    }

    @Test("a driver that polls its GPU is idle, a slow encoder with a tenth of a CPU is not")
    func processorTime() {
        #expect(ProcessActivity(processorSeconds: 0, of: 1) == .idle)
        #expect(ProcessActivity(processorSeconds: 0.05, of: 1) == .idle)
        #expect(ProcessActivity(processorSeconds: 0.1, of: 1) == .busy)
        #expect(ProcessActivity(processorSeconds: 3, of: 1) == .busy)
    }

    @Test("a thread that runs or waits for a lock does not wait for a file")
    func otherCalls() {
        #expect(BlockingSystemCall(syscall: "running\n") == nil)
        #expect(BlockingSystemCall(syscall: "202 0x7f00 0x80 0x0 0x0 0x0 0x0 0x7ffd 0x7f01\n") == nil)
        #expect(BlockingSystemCall(syscall: "") == nil)
    }

    @Test("a read of a file or standard input is a wait, one of a driver's descriptors is not")
    func targets() throws {
        let read = ProcessTests.readNumber
        let call = try #require(BlockingSystemCall(syscall: "\(read) 0xb 0x7f00 0x1000 0x0 0x0 0x0 0x7ffd 0x7f01\n"))
        #expect(call.descriptor == 11)
        #expect(call.isFor("/mnt/nfs/in.mkv") && !call.isFor("/dev/dri/renderD128"))
        #expect(!call.isFor("pipe:[123]") && !call.isFor("anon_inode:[eventfd]"))
        let input = try #require(BlockingSystemCall(syscall: "\(read) 0x0 0x7f00 0x1000 0x0 0x0 0x0 0x7ffd 0x7f01\n"))
        #expect(input.isFor("pipe:[123]"))
    }

    #if arch(x86_64)
        private static let readNumber = 0
    #else
        private static let readNumber = 63
    #endif
}
