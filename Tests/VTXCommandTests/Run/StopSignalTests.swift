import Glibc
import Testing
import VTXSystem
import VTXTask

@testable import VTXCommand

@Suite("Signals and time limits")
struct StopSignalTests {
    @Test("a signal repeated at once is one request, a later one is another")
    func echo() {
        var echo = SignalDebounce()
        #expect(
            [10, 10.01, 10.2, 10.3, 10.4, 10.6].map { echo.isEcho(at: $0) } == [false, true, true, false, true, false])
    }

    @Test("signals are read as requests, and two at once are one")
    func descriptor() throws {
        var stops = try StopSignalDescriptor()
        #expect(stops.receive().isEmpty)
        // To this thread: others of the test run do not block it.
        pthread_kill(pthread_self(), SIGINT)
        pthread_kill(pthread_self(), SIGTERM)
        #expect(Poll.has(.readable(stops.number)))
        #expect(stops.receive() == [.interrupted])
        #expect(!Poll.has(.readable(stops.number)))
    }

    @Test("the GPU timeout is a number of seconds", arguments: ["abc", "-1", "nan", "1s"])
    func badTimeout(text: String) {
        #expect(throws: (any Error).self) { try DriverTimeout.seconds(text) }
    }

    @Test("0 disables the GPU timeout, empty is the default")
    func timeout() throws {
        #expect(try DriverTimeout.seconds("0") == nil)
        #expect(try DriverTimeout.seconds("2.5") == 2.5)
        #expect(try DriverTimeout.seconds(nil) == DriverTimeout.standard)
        #expect(try DriverTimeout.seconds("") == DriverTimeout.standard)
    }
}
