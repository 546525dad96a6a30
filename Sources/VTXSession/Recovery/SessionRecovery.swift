package import VTXMedia

/// What becomes of a session that the system may take away at any moment: by a suspend, a reset of the driver, a device
/// that vanishes. Pure; both kinds of sessions follow it, on every backend.
package struct SessionRecovery: Sendable, Hashable {
    /// So often in a row a session is made, without a frame that came out of it.
    package static let maxCreations = 5
    /// This many frames in a row may fail.
    package static let maxFailures = 20

    /// What a frame needs before it can be worked on.
    package enum Preparation: Sendable, Hashable {
        case useSession
        case createSession
        case giveUp
    }

    /// What a failure means.
    package enum Consequence: Sendable, Hashable {
        /// Open a new session and work on the same frame again.
        case retry
        /// The frame is lost, the session goes on.
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

    /// A new session is opened before the next frame because the caller asks for it: nothing has failed.
    package mutating func refresh() {
        needsSession = true
        creations = 0
    }

    package mutating func noteCreation(succeeded: Bool) {
        creations += 1
        needsSession = !succeeded
    }

    /// A frame was taken. Where one came out too, the session has proved itself, and both counts begin again.
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
    /// The session itself is gone. A driver does not say whether it failed at a picture or was reset, and after either
    /// its contexts are not to be trusted.
    package var meansInvalidSession: Bool { self == .invalidSession || self == .hardwareMalfunction }
}
