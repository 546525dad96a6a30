package import VTXMedia

/// The rules of recovery for a session that the system may take away at any time: by a suspend, a driver reset, or the
/// removal of a device. ``CodecRecovery`` follows them. Pure.
package struct SessionRecovery: Sendable, Hashable {
    /// The maximum number of sessions opened in a row without output.
    package static let maxCreations = DeviceLosses.maxSessions
    /// The maximum number of consecutive failed frames.
    package static let maxFailures = 20

    /// What to do before working on a frame.
    package enum Preparation: Sendable, Hashable {
        case useSession
        case createSession
        case giveUp
    }

    /// What to do after a failure.
    package enum Consequence: Sendable, Hashable {
        /// Open a new session and work on the same frame again.
        case retry
        /// Report the frame as lost; the session continues.
        case report
        case giveUp
    }

    private var needsSession = true
    private var creations = 0
    private var failures = 0

    package init() {}

    package var preparation: Preparation {
        if !needsSession { return .useSession }
        return creations < Self.maxCreations ? .createSession : .giveUp
    }

    package mutating func noteCreation(succeeded: Bool) {
        creations += 1
        needsSession = !succeeded
    }

    /// Notes that a frame was accepted. If one also came out, the session has proven itself, and both counts restart.
    package mutating func noteSuccess(cameOut: Bool) {
        failures = 0
        if cameOut { creations = 0 }
    }

    package mutating func noteFailure(_ code: SessionError.Code) -> Consequence {
        if code.meansInvalidSession {
            needsSession = true
            if creations < Self.maxCreations { return .retry }
        }
        failures += 1
        return failures < Self.maxFailures ? .report : .giveUp
    }
}

extension SessionError.Code {
    /// Whether the session itself is lost. A driver does not report whether a picture failed or the device was reset;
    /// its contexts cannot be trusted after either.
    package var meansInvalidSession: Bool { self == .invalidSession || self == .hardwareMalfunction }
}
