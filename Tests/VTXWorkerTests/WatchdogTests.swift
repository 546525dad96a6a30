import Glibc
import Testing
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestValues

@testable import VTXWorker

@Suite("The watchdog")
struct WatchdogTests: SupervisionSuite {
    var state = Supervision(.init(mayUseHardware: true), timeout: 30)

    @Test("a driver without progress until the timeout is killed, which is a fault")
    mutating func hang() {
        Self.onGPU(7).forEach { _ = state.handle(.report($0)) }
        #expect(tick(29) == "wait")
        #expect(tick(1) == "kill")
        #expect(
            end(.killed(signal: SIGKILL)) == "restart: the GPU's driver made no progress for 30.0 s after 7 frames")
    }

    @Test("a new frame is progress, the same number is not")
    mutating func signsOfLife() {
        Self.onGPU(7).forEach { _ = state.handle(.report($0)) }
        #expect(tick(29) == "wait")
        _ = state.handle(.report(Self.progress(.transcoding, 8)))
        #expect(tick(29) == "wait")
        _ = state.handle(.report(Self.progress(.transcoding, 8)))
        #expect(tick(1) == "kill")
    }

    @Test("a wait for the other end of a pipe is not a hanging driver")
    mutating func pipe() {
        Self.onGPU(7).forEach { _ = state.handle(.report($0)) }
        #expect(tick(29) == "wait")
        _ = state.handle(.report(.pipe(.waits)))
        #expect(tick(29) == "wait")
        #expect(tick(1) == "kill")
    }

    @Test("a driver may hang during a query")
    mutating func hangWhilePlanning() {
        #expect(tick(30) == "kill")
        #expect(
            end(.killed(signal: SIGKILL))
                == "restart: the GPU's driver made no progress for 30.0 s while vtx probed it")
    }

    @Test("a computing worker has ten times the timeout, and one waiting for a file has none")
    mutating func activity() {
        Self.onGPU(7).forEach { _ = state.handle(.report($0)) }
        #expect(tick(1000, .waiting) == "wait")
        #expect(tick(299, .busy) == "wait")
        #expect(tick(1, .busy) == "kill")
        #expect(end(.killed(signal: SIGKILL)).contains("made no progress for 1300.0 s"))
    }

    @Test("software is not watched, nor the work after the last frame")
    mutating func unwatched() {
        Self.onGPU(7).forEach { _ = state.handle(.report($0)) }
        _ = state.handle(.report(Self.progress(.verifying, 75)))
        #expect(tick(1000) == "wait" && !state.isWatching)
        state = Supervision(.init(mayUseHardware: true), timeout: 30)
        _ = state.handle(.report(Self.planned(usesHardware: false)))
        #expect(tick(1000) == "wait" && !state.isWatching)
    }

    @Test("the user can disable the watchdog")
    mutating func noLimit() {
        state = Supervision(.init(mayUseHardware: true), timeout: nil)
        #expect(tick(1e6) == "wait")
    }

    @Test("a worker that hangs at its end is killed")
    mutating func hangAtExit() {
        _ = state.handle(.report(.done))
        #expect(tick(5, .busy) == "kill")
        #expect(end(.killed(signal: SIGKILL)) == "done")
    }

    @Test("after a signal a driver has five seconds, and software no limit")
    mutating func driverThatHangsAfterStop() {
        Self.onGPU(7).forEach { _ = state.handle(.report($0)) }
        _ = state.handle(.stop(.terminated))
        #expect(tick(4.9) == "wait" && tick(0.1) == "kill")
        #expect(end(.killed(signal: SIGKILL)) == "failed cancelled.terminated")
        state = Supervision(.init(mayUseHardware: true), timeout: nil)
        Self.onGPU(7).forEach { _ = state.handle(.report($0)) }
        _ = state.handle(.stop(.terminated))
        #expect(tick(5) == "kill", "and where a driver may hang for ever")
    }

    @Test("a driver may hang while closing codecs")
    mutating func hangWhileFinishing() {
        Self.onGPU(75).forEach { _ = state.handle(.report($0)) }
        _ = state.handle(.report(Self.progress(.finishing, 75)))
        #expect(tick(30) == "kill")
    }

    @Test("a worker that survives a second request to stop is abandoned after two seconds")
    mutating func hangAfterStop() {
        _ = state.handle(.report(Self.planned(usesHardware: false)))
        _ = state.handle(.stop(.interrupted))
        #expect(tick(100) == "wait")
        _ = state.handle(.stop(.interrupted))
        #expect(tick(2, .waiting) == "give up")
        #expect(end(.stuck) == "failed cancelled.interrupted")
    }

    @Test("a worker that survives a kill is abandoned")
    mutating func unkillable() {
        Self.onGPU(7).forEach { _ = state.handle(.report($0)) }
        #expect(tick(30) == "kill")
        #expect(tick(5) == "give up")
        #expect(end(.stuck).hasPrefix("restart: the GPU's driver made no progress"))
    }
}
