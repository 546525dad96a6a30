import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem

/// The devices that a session may try, the best first, and what it has seen of them.
final class DeviceCandidates: Sendable {
    /// Which of them are meant.
    let device: DeviceSelector
    private let backends: SharedBackends
    private let state: Locked<State>

    private struct State {
        var generation: SharedBackends.Generation
        var losses = CodecLosses()
    }

    /// - Parameter device: as a session's configuration names it; nil for any.
    /// - Throws: `.badParameter` for what names none.
    init(_ backends: SharedBackends, device: String?) throws(SessionError) {
        self.device = try DeviceSelector(configured: device)
        self.backends = backends
        state = Locked(State(generation: backends.current()))
    }

    var generation: SharedBackends.Generation { state.withLock { $0.generation } }

    /// What is there and allowed.
    func candidates(_ policy: HardwarePolicy) -> [DeviceCandidate] {
        let selected = all(policy).selected(by: device)
        return (policy == .require ? selected.hardware : selected).ranked
    }

    /// Whatever it is called.
    func all(_ policy: HardwarePolicy) -> [DeviceCandidate] {
        DeviceCandidate.all(from: generation.backends, allowsHardware: policy != .off)
    }

    /// The order in which to try them.
    func ordered(_ able: [DeviceCandidate]) -> [DeviceCandidate] {
        state.withLock { $0.losses }.ordered(able, device: \.matrix.device)
    }

    /// Codecs were lost.
    func noteFailures(_ replacements: [CodecReplacement]) { replacements.forEach { noteFailure($0.lostDevice) } }

    func noteFailure(_ device: DeviceID) { state.withLock { $0.losses.noteLoss(device) } }
    @Sendable func noteSuccess(_ device: DeviceID) { state.withLock { $0.losses.noteOutput(device) } }

    /// The devices are not trusted any more: they are opened again.
    func renew() {
        let renewed = backends.current(replacing: generation)
        state.withLock { $0.generation = renewed }
    }

    /// The same, and what has failed may be well again.
    func refresh() {
        renew()
        state.withLock { $0.losses = CodecLosses() }
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
    /// - Parameter text: as a session's configuration names a device; nil for any.
    /// - Throws: `.badParameter` for what names none.
    init(configured text: String?) throws(SessionError) {
        guard let text else {
            self = .auto
            return
        }
        guard let selector = DeviceSelector(text) else {
            throw SessionError(.badParameter, "'\(text)' names no device; allowed: \(Self.forms)")
        }
        self = selector
    }
}
