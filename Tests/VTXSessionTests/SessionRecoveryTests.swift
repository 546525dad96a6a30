import Testing
import VTXMedia
import VTXSession

@Suite("How a session recovers")
struct SessionRecoveryTests {
    @Test("the first frame makes the session, the others use it")
    func first() {
        var recovery = SessionRecovery()
        #expect(recovery.preparation == .createSession)
        recovery.noteCreation(succeeded: true)
        #expect(recovery.preparation == .useSession)
    }

    @Test("refreshing makes a session before the next frame, once")
    func refresh() {
        var recovery = Self.running
        recovery.refresh()
        recovery.refresh()
        #expect(recovery.preparation == .createSession)
        recovery.noteCreation(succeeded: true)
        #expect(recovery.preparation == .useSession)
    }

    @Test("making a session is tried five times in a row")
    func creations() {
        var recovery = SessionRecovery()
        for _ in 1...5 {
            #expect(recovery.preparation == .createSession)
            recovery.noteCreation(succeeded: false)
        }
        #expect(recovery.preparation == .giveUp)
    }

    @Test("sessions that are made and give nothing count, until a frame comes out")
    func unproved() {
        var recovery = SessionRecovery()
        for _ in 1...4 {
            recovery.noteCreation(succeeded: true)
            recovery.noteSuccess(cameOut: false)
            #expect(recovery.noteFailure(.invalidSession) == .retry)
        }
        var proved = recovery
        recovery.noteCreation(succeeded: true)
        #expect(recovery.noteFailure(.invalidSession) == .report)
        #expect(recovery.preparation == .giveUp)
        proved.noteCreation(succeeded: true)
        proved.noteSuccess(cameOut: true)
        #expect(proved.noteFailure(.invalidSession) == .retry)
        #expect(proved.preparation == .createSession)
    }

    @Test("a frame that an invalid session failed at is worked on again", arguments: SessionError.Code.allCases)
    func again(code: SessionError.Code) {
        var recovery = Self.running
        let isInvalid = code == .invalidSession || code == .hardwareMalfunction
        #expect(recovery.noteFailure(code) == (isInvalid ? .retry : .report))
        #expect(recovery.preparation == (isInvalid ? .createSession : .useSession))
    }

    @Test("twenty frames that fail in a row end the session; one that succeeds resets the count")
    func failures() {
        var recovery = Self.running
        for _ in 1...19 { #expect(recovery.noteFailure(.badData) == .report) }
        recovery.noteSuccess(cameOut: false)
        for _ in 1...19 { #expect(recovery.noteFailure(.unsupportedFormat) == .report) }
        #expect(recovery.noteFailure(.badData) == .giveUp)
    }

    private static var running: SessionRecovery {
        var recovery = SessionRecovery()
        recovery.noteCreation(succeeded: true)
        recovery.noteSuccess(cameOut: true)
        return recovery
    }
}
