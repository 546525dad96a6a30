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
        var failures = DeviceFailures()
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
    func offers(_ policy: HardwarePolicy) -> [DeviceCandidate] {
        let selected = all(policy).selected(by: device)
        return (policy == .require ? selected.hardware : selected).ranked
    }

    /// Whatever it is called.
    func all(_ policy: HardwarePolicy) -> [DeviceCandidate] {
        DeviceCandidate.all(from: generation.backends, allowsHardware: policy != .off)
    }

    /// The order in which to try them.
    func ordered(_ able: [DeviceCandidate]) -> [DeviceCandidate] {
        state.withLock { $0.failures }.ordered(able, device: \.matrix.device)
    }

    /// A codec was lost.
    func noteFailure(_ device: DeviceID) { state.withLock { $0.failures.noteFailure(device) } }
    func noteSuccess(_ device: DeviceID) { state.withLock { $0.failures.noteSuccess(device) } }

    /// The devices are not trusted any more: they are opened again.
    func renew() {
        let renewed = backends.current(replacing: generation)
        state.withLock { $0.generation = renewed }
    }

    /// The same, and what has failed may be well again.
    func refresh() {
        renew()
        state.withLock { $0.failures = DeviceFailures() }
    }
}

extension DeviceCandidates {
    /// Opens the first device that really opens.
    ///
    /// - Parameters:
    ///   - candidates: those that say they can, in the order in which to try them.
    ///   - none: what is wrong where there are none.
    ///   - open: gets the device, and the software, where frames that a device cannot bring into shape are brought into
    ///     it.
    func first<Codec>(
        of candidates: [DeviceCandidate], else none: SessionError,
        _ open: (DeviceCandidate, _ software: any DeviceSession) throws(SessionError) -> Codec
    ) throws(SessionError) -> Codec {
        let software = try openSoftware()
        var refusals: [SessionError] = []
        for candidate in candidates {
            do throws(SessionError) { return try open(candidate, software) } catch { refusals.append(error) }
        }
        throw refusals.first ?? none
    }

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
