/// Whether a device gets jobs.
///
/// Faults within a window make it suspect, more of them take it out. After a wait that doubles each time it has to pass
/// a self-test; then it is suspect until a few jobs went well.
package struct DeviceHealth: Sendable, Hashable, Codable {
    package enum State: String, Sendable, Hashable, Codable, CaseIterable {
        case healthy
        /// It has had a fault lately, and gets jobs.
        case suspect
        /// It gets no jobs until a self-test has passed.
        case quarantined
        /// A self-test runs.
        case testing

        package var takesJobs: Bool { self == .healthy || self == .suspect }
    }

    package enum Event: Sendable, Hashable {
        case fault(Failure)
        /// A job that used it went well.
        case success
        /// Time has passed.
        case tick
        case testPassed
        case testFailed(Failure)
        /// A user wants it tested now.
        case test
        /// A user takes the responsibility.
        case release
    }

    package enum Action: Sendable, Hashable { case selfTest }

    package struct Fault: Sendable, Hashable, Codable {
        package var at: Timestamp
        package var code: String
        package var message: String
    }

    package private(set) var state = State.healthy
    /// The newest last.
    package private(set) var faults: [Fault] = []
    package private(set) var quarantinedUntil: Timestamp?
    /// How often in a row it was quarantined.
    package private(set) var quarantines = 0
    private var successes = 0

    /// Seconds.
    private static let window = 600.0
    private static let faultsInWindow = 3
    /// Faults after which nothing else is to be tried: the driver or the kernel has hung or reset the engine.
    private static let grave: Set<String> = ["device.hung", "device.lost"]
    private static let successesToTrust = 3
    private static let wait = Backoff(first: 60, longest: 3600)
    private static let keptFaults = 32

    package init() {}

    /// - Parameter name: of the device; the wait differs a little for each.
    package mutating func handle(_ event: Event, name: DeviceName, at now: Timestamp) -> Action? {
        switch event {
        case .fault(let failure): note(failure, name, now)
        case .success: succeed(now)
        case .tick:
            guard state == .quarantined, let until = quarantinedUntil, isOver(until, now) else { return nil }
            return test()
        case .test: return test()
        case .testPassed:
            guard state == .testing else { return nil }
            // One that was not kept out before, and was tested because a user wanted that, has nothing to prove.
            (state, quarantinedUntil, successes) = (quarantines > 0 ? .suspect : .healthy, nil, 0)
        case .testFailed(let failure):
            keep(failure, now)
            quarantine(name, now)
        case .release: self = DeviceHealth()
        }
        return nil
    }

    /// A clock that was set back must not keep a device out for longer than the longest wait.
    private func isOver(_ until: Timestamp, _ now: Timestamp) -> Bool {
        now >= until || until - now > Self.wait.longest * 2
    }

    private mutating func test() -> Action? {
        guard state != .testing else { return nil }
        state = .testing
        return .selfTest
    }

    private mutating func note(_ failure: Failure, _ name: DeviceName, _ now: Timestamp) {
        keep(failure, now)
        successes = 0
        // Jobs that were running already may still fail on a device that is out.
        guard state.takesJobs else { return }
        let recent = faults.filter { abs(now - $0.at) <= Self.window }
        if recent.count >= Self.faultsInWindow || Self.grave.contains(failure.code) || quarantines > 0 {
            quarantine(name, now)
        } else {
            state = .suspect
        }
    }

    private mutating func keep(_ failure: Failure, _ now: Timestamp) {
        faults.append(Fault(at: now, code: failure.code, message: failure.message))
        faults = faults.suffix(Self.keptFaults)
    }

    private mutating func quarantine(_ name: DeviceName, _ now: Timestamp) {
        quarantines += 1
        state = .quarantined
        quarantinedUntil = now + Self.wait.seconds(quarantines, of: name.text)
    }

    private mutating func succeed(_ now: Timestamp) {
        guard state == .suspect else { return }
        successes += 1
        guard successes >= Self.successesToTrust else { return }
        (state, quarantines, successes) = (.healthy, 0, 0)
    }

    /// After a restart of the server nothing tests it any more: it is tested again.
    package mutating func adopt() {
        guard state == .testing else { return }
        state = .quarantined
        quarantinedUntil = quarantinedUntil ?? Timestamp(milliseconds: 0)
    }
}
