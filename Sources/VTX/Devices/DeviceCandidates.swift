import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem

/// The devices that a session may try, best first, and their failures so far.
final class DeviceCandidates: Sendable {
    /// The devices that the configuration selects.
    let device: DeviceSelector
    private let backends: SharedBackends
    private let state: Locked<State>

    private struct State {
        var generation: SharedBackends.Generation
        var losses = DeviceLosses()
    }

    /// - Parameter device: The device of a session's configuration; nil for any.
    /// - Throws: `.badParameter` if the name is not a device selector.
    init(_ backends: SharedBackends, device: String?) throws(SessionError) {
        self.device = try DeviceSelector(configured: device)
        self.backends = backends
        state = Locked(State(generation: backends.current()))
    }

    var generation: SharedBackends.Generation { state.withLock { $0.generation } }

    /// The available devices that the configuration selects and the policy allows.
    func candidates(_ policy: HardwarePolicy) -> [DeviceCandidate] {
        let selected = all(policy).selected(by: device)
        return (policy == .require ? selected.hardware : selected).ranked
    }

    /// All allowed devices, whatever the configuration names.
    func all(_ policy: HardwarePolicy) -> [DeviceCandidate] {
        DeviceCandidate.all(from: generation.backends, allowsHardware: policy != .off)
    }

    /// The order in which to try them.
    func ordered(_ able: [DeviceCandidate]) -> [DeviceCandidate] {
        state.withLock { $0.losses }.ordered(able, device: \.matrix.device)
    }

    /// Records devices whose codecs were lost.
    func noteFailures(_ replacements: [CodecReplacement]) { replacements.forEach { noteFailure($0.lostDevice) } }

    func noteFailure(_ device: DeviceID) { state.withLock { $0.losses.noteLoss(device) } }
    @Sendable func noteSuccess(_ device: DeviceID) { state.withLock { $0.losses.noteOutput(device) } }

    /// Reopens the devices, which are no longer trusted.
    func renew() {
        let renewed = backends.current(replacing: generation)
        state.withLock { $0.generation = renewed }
    }

    /// Reopens the devices and forgets their failures.
    func refresh() {
        renew()
        state.withLock { $0.losses = DeviceLosses() }
    }
}

extension DeviceCandidates {
    func openSoftware() throws(SessionError) -> any DeviceSession {
        guard let candidate = DeviceCandidate.all(from: generation.backends, allowsHardware: false).first else {
            throw SessionError(.notAvailableNow, "there is no software backend")
        }
        return try candidate.open()
    }
}

extension DeviceSelector {
    /// - Parameter text: The device of a session's configuration; nil for any.
    /// - Throws: `.badParameter` if the text is not a device selector.
    init(configured text: String?) throws(SessionError) {
        guard let text else {
            self = .auto
            return
        }
        guard let selector = DeviceSelector(text) else {
            throw SessionError(.badParameter, "'\(text)' is not a device; allowed: \(Self.forms)")
        }
        self = selector
    }
}
