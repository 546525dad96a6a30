import Testing
import VTXMedia
import VTXSession

@Suite("Session recovery")
struct SessionRecoveryTests {
    @Test("the first frame opens the session, the others use it")
    func first() {
        var recovery = SessionRecovery()
        #expect(recovery.preparation == .createSession)
        recovery.noteCreation(succeeded: true)
        #expect(recovery.preparation == .useSession)
    }

    @Test("opening a session is tried five times in a row")
    func creations() {
        var recovery = SessionRecovery()
        for _ in 1...5 {
            #expect(recovery.preparation == .createSession)
            recovery.noteCreation(succeeded: false)
        }
        #expect(recovery.preparation == .giveUp)
    }

    @Test("sessions without output count as failures until a frame is output")
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

    @Test("a frame that failed in an invalid session is retried", arguments: SessionError.Code.allCases)
    func again(code: SessionError.Code) {
        var recovery = Self.running
        let isInvalid = code == .invalidSession || code == .hardwareMalfunction
        #expect(recovery.noteFailure(code) == (isInvalid ? .retry : .report))
        #expect(recovery.preparation == (isInvalid ? .createSession : .useSession))
    }

    @Test("twenty failed frames in a row end the session; a successful one resets the count")
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
