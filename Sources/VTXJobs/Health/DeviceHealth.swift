/// Determines whether a device gets jobs.
///
/// Faults within a time window make it suspect, and further ones quarantine it. After a wait that doubles each time, it
/// must pass a self-test; then it is suspect until a few jobs have succeeded.
package struct DeviceHealth: Sendable, Hashable, Codable {
    package enum State: String, Sendable, Hashable, Codable, CaseIterable {
        case healthy
        /// It has had a recent fault, and gets jobs.
        case suspect
        /// It gets no jobs until it passes a self-test.
        case quarantined
        /// A self-test is running.
        case testing

        package var takesJobs: Bool { self == .healthy || self == .suspect }
    }

    package enum Event: Sendable, Hashable {
        case fault(Failure)
        /// A job that used it succeeded.
        case success
        /// Time has passed.
        case tick
        case testPassed
        case testFailed(Failure)
        /// A user requests a self-test.
        case test
        /// A user releases it without a self-test.
        case release
    }

    package enum Action: Sendable, Hashable { case selfTest }

    package struct Fault: Sendable, Hashable, Codable {
        package var at: Timestamp
        package var code: String
        package var message: String
    }

    package private(set) var state = State.healthy
    /// In order of time.
    package private(set) var faults: [Fault] = []
    package private(set) var quarantinedUntil: Timestamp?
    /// The number of consecutive quarantines.
    package private(set) var quarantines = 0
    private var successes = 0

    /// In seconds.
    private static let window = 600.0
    private static let faultsInWindow = 3
    /// Faults that quarantine immediately: the driver or the kernel has hung or reset the engine.
    private static let grave: Set<String> = ["device.hung", "device.lost"]
    private static let successesToTrust = 3
    private static let wait = Backoff(first: 60, longest: 3600)
    private static let keptFaults = 32

    package init() {}

    /// - Parameter name: The device's name, which varies the wait slightly.
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
            // A device that was not quarantined, and was tested on request, needs no probation.
            (state, quarantinedUntil, successes) = (quarantines > 0 ? .suspect : .healthy, nil, 0)
        case .testFailed(let failure):
            keep(failure, now)
            quarantine(name, now)
        case .release: self = DeviceHealth()
        }
        return nil
    }

    /// Whether a quarantine is over. It never lasts longer than the longest wait, even if the clock was set back.
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
        // Jobs that were already running may still fail on a quarantined device.
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

    /// Schedules another self-test after a restart of the server, which interrupted the previous one.
    package mutating func adopt() {
        guard state == .testing else { return }
        state = .quarantined
        quarantinedUntil = quarantinedUntil ?? Timestamp(milliseconds: 0)
    }
}
