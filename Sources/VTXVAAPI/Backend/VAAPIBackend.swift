import VTXFFmpeg
package import VTXLibVA
package import VTXMedia
package import VTXSession
package import VTXSystem

/// Video on Intel and AMD GPUs through VA-API.
///
/// Each GPU is queried once. It stays open until `closeIdleDevices`, and then as long as a session needs it.
package final class VAAPIBackend: VideoBackend {
    package let isHardware = true
    private let system: SystemView
    private let selector: DeviceSelector
    private let history: DriverHistory?
    private let inquire: (@Sendable (RenderNode) -> Void)?
    private let timeout: Double?
    private let willUse: @Sendable (DeviceID) -> Void
    private let driverNotes: CrashNotes<DriverUse>?
    private let admits: @Sendable (DriverCapabilities.Row) -> Bool
    private let nodes = Locked<Nodes?>(nil)

    /// The result of opening the nodes.
    private struct Nodes {
        var opened: [AskedDevice] = []
        var unusable: [UnusableDevice] = []
    }

    /// - Parameters:
    ///   - selector: The GPUs that may be opened. The drivers of others are not loaded.
    ///   - history: Determines which GPUs are quarantined; nil to try all of them.
    ///   - inquire: Queries a driver that has never answered in another process, before this one loads it; nil to load
    ///     it directly.
    ///   - timeout: The timeout for querying a driver, in seconds; nil for none.
    ///   - willUse: Called with a GPU before its driver is called for another purpose. It may be the last call.
    ///   - driverNotes: Where to note the active driver once there may be several.
    ///   - admits: Filters the capabilities to use.
    package init(
        system: SystemView = .live, selector: DeviceSelector = .auto, history: DriverHistory? = .shared,
        inquire: (@Sendable (RenderNode) -> Void)? = DriverInquiry.installed?.ask,
        timeout: Double? = nil, willUse: @escaping @Sendable (DeviceID) -> Void = { _ in },
        driverNotes: CrashNotes<DriverUse>? = nil,
        admits: @escaping @Sendable (DriverCapabilities.Row) -> Bool = { _ in true }
    ) {
        self.system = system
        self.selector = selector
        self.history = history
        self.inquire = inquire
        self.timeout = timeout
        self.willUse = willUse
        self.driverNotes = driverNotes
        self.admits = admits
    }

    package func probe() -> [CapabilityMatrix] { askedNodes().opened.map(\.matrix) }

    package func unusableDevices() -> [UnusableDevice] { askedNodes().unusable }

    package func openSession(on device: DeviceID) throws(SessionError) -> any DeviceSession {
        guard let found = askedNodes().opened.first(where: { $0.matrix.device == device }) else {
            throw SessionError(.badParameter, "there is no GPU '\(device.name)' with VA-API")
        }
        willUse(device)
        return VAAPISession(opened: try found.open(in: system), notes: driverNotes)
    }

    package func closeIdleDevices() {
        let opened = nodes.withLock { $0?.opened ?? [] }
        for device in opened {
            willUse(device.matrix.device)
            device.closeIfIdle()
        }
        // From now on, driver failures affect a device in use.
        for device in opened where device.isOpen { willUse(device.matrix.device) }
    }

    private func askedNodes() -> Nodes {
        if let known = nodes.withLock({ $0 }) { return known }
        let found = askNodes()
        nodes.withLock { $0 = found }
        return found
    }

    private func askNodes() -> Nodes {
        var found = Nodes()
        do throws(NoSuchNode) {
            let all = RenderNode.all(in: system)
            let meant = selector == .auto ? all : try selector.select(from: all)
            // With a single node there is nothing to choose.
            let loads = RenderNodeLoad.measure(meant.map(\.path), seconds: meant.count > 1 ? 0.05 : 0)
            for (node, load) in zip(meant, loads) { ask(node, load, &found) }
        } catch {
            found.unusable.append(UnusableDevice(selector, error))
        }
        return found
    }

    private func ask(_ node: RenderNode, _ load: RenderNodeLoad, _ found: inout Nodes) {
        if let reason = pastFault(of: node) ?? firstFault(of: node) {
            found.unusable.append(UnusableDevice(node, reason))
            return
        }
        switch open(node, load) {
        case .success(let device):
            history?.noteAnswer(of: node, in: system)
            if let device { found.opened.append(device) }
        case .failure(let error):
            if let device = UnusableDevice(node, error, in: system) { found.unusable.append(device) }
        case nil: found.unusable.append(UnusableDevice(node, noteHang(of: node)))
        }
    }

    private func pastFault(of node: RenderNode) -> String? {
        history.flatMap { history in history.quarantine(of: node, in: system).map(history.sentence) }
    }

    /// Queries a driver that has never answered in another process, and returns its fault; nil if it works.
    private func firstFault(of node: RenderNode) -> String? {
        willUse(DeviceID(node.path))
        guard let inquire, let history, !history.hasAnswered(node, in: system) else { return nil }
        inquire(node)
        return pastFault(of: node)
    }

    /// nil if the driver hangs.
    private func open(_ node: RenderNode, _ load: RenderNodeLoad) -> Result<AskedDevice?, DisplayError>? {
        let (system, admits) = (system, admits)
        let work: @Sendable () -> Result<AskedDevice?, DisplayError> = {
            Result { () throws(DisplayError) in try AskedDevice(node, load: load, in: system, admits) }
        }
        do throws(SystemError) {
            return try VTXSystem.Thread.run(within: timeout, "vtx-driver", work)
        } catch {
            return .failure(DisplayError(path: node.path, cause: .open(errno: error.code)))
        }
    }

    private func noteHang(of node: RenderNode) -> String {
        let history = history ?? .shared
        let quarantine = history.makeQuarantine(.hung, "did not respond to a capability query", .asked)
        history.note(quarantine, of: node, in: system)
        return history.sentence(quarantine)
    }
}

extension UnusableDevice {
    /// nil for GPUs that are not expected to work: those of other vendors, and virtual ones.
    fileprivate init?(_ node: RenderNode, _ error: DisplayError, in system: SystemView) {
        guard let diagnosis = NodeReport(node, .failure(error), in: system).diagnoses.first,
            ![.nvidia, .virtualGPU, .notDRM].contains(diagnosis.kind)
        else { return nil }
        self.init(selectors: node.selectors, reason: diagnosis.sentence, hint: diagnosis.hint)
    }

    fileprivate init(_ node: RenderNode, _ fault: String) {
        self.init(
            selectors: node.selectors, reason: "\(node.path): \(fault)",
            hint: DriverQuarantine.hint, isFaulty: true)
    }

    /// The requested GPU does not exist.
    fileprivate init(_ selector: DeviceSelector, _ error: NoSuchNode) {
        self.init(selectors: [selector], reason: "\(error)", hint: nil)
    }
}

/// A GPU that has been queried.
private final class AskedDevice: Sendable {
    let matrix: CapabilityMatrix
    private let node: RenderNode
    private let answers: DriverCapabilities
    private let display: Locked<HeldDisplay>
    /// nil for libva's choice.
    private var driver: String? {
        answers.driverName.flatMap { driverNames(for: node.vendor).contains($0) ? $0 : nil }
    }

    /// A display that is open for future sessions, or only for existing ones.
    private struct HeldDisplay {
        var held: Display?
        weak var used: Display?
    }

    /// nil if the driver has no video codecs: `vtx probe` says why.
    init?(
        _ node: RenderNode, load: RenderNodeLoad, in system: SystemView, _ admits: (DriverCapabilities.Row) -> Bool
    ) throws(DisplayError) {
        var (display, answers) = try DriverCapabilities.opening(node, in: system)
        answers.rows.removeAll { !admits($0) }
        let matrix = VAAPICapabilities.matrix(of: node, answers, load: load.rank)
        guard matrix.codesVideo else { return nil }
        (self.node, self.answers, self.matrix) = (node, answers, matrix)
        self.display = Locked(HeldDisplay(held: display, used: display))
    }

    var isOpen: Bool { display.withLock { $0.used != nil } }

    func open(in system: SystemView) throws(SessionError) -> OpenedDevice {
        try OpenedDevice(display: try openDisplay(in: system), answers: answers, matrix: matrix)
    }

    /// Concurrent sessions share a display, so that they can exchange surfaces.
    private func openDisplay(in system: SystemView) throws(SessionError) -> Display {
        do throws(DisplayError) {
            return try display.withLock { state throws(DisplayError) in
                if let open = state.used { return open }
                let display = try Display(node, with: driver, in: system)
                state.used = display
                return display
            }
        } catch {
            throw SessionError(.notAvailableNow, "\(error)")
        }
    }

    func closeIfIdle() {
        let display = display.withLock { state in
            defer { state.held = nil }
            return state.held
        }
        // Closing it calls the driver, which may take long: outside the lock.
        withExtendedLifetime(display) {}
    }
}
