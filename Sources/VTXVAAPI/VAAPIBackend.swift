import VTXFFmpeg
package import VTXLibVA
package import VTXMedia
package import VTXSession

/// Video on Intel and AMD GPUs, through VA-API.
///
/// A GPU that was asked what it can do stays open as long as the backend, so that it is asked once.
package final class VAAPIBackend: VideoBackend {
    package let isHardware = true
    private let system: SystemView
    private let node: String?
    private let admits: @Sendable (DriverAnswers.Row) -> Bool
    private let opened = Locked<[OpenedDevice]?>(nil)

    /// - Parameters:
    ///   - node: the only render node to open; nil for all.
    ///   - admits: of what the drivers say, what is to be used.
    package init(
        system: SystemView = .live, node: String? = nil,
        admits: @escaping @Sendable (DriverAnswers.Row) -> Bool = { _ in true }
    ) {
        self.system = system
        self.node = node
        self.admits = admits
    }

    package func probe() -> [CapabilityMatrix] { devices().map(\.matrix) }

    package func openSession(
        on device: DeviceID, budget: SurfaceBudget
    ) throws(SessionError) -> any DeviceSession {
        guard let found = devices().first(where: { $0.matrix.device == device }) else {
            throw SessionError(.badParameter, "there is no GPU '\(device.name)' that VA-API can use")
        }
        return try VAAPISession(found, budget: budget)
    }

    private func devices() -> [OpenedDevice] {
        if let known = opened.withLock({ $0 }) { return known }
        let nodes = RenderNode.all(in: system).filter { node == nil || $0.path == node }
        // Nobody has to choose among one.
        let loads = RenderNodeLoad.measure(nodes.map(\.path), seconds: nodes.count > 1 ? 0.05 : 0)
        let found = zip(nodes, loads).compactMap { OpenedDevice($0, load: $1, in: system, admits) }
        opened.withLock { $0 = found }
        return found
    }
}

/// A GPU with what its driver says of it.
struct OpenedDevice: Sendable {
    var display: Display
    var answers: DriverAnswers
    var matrix: CapabilityMatrix

    /// nil for a node that cannot be opened, or whose driver codes no video: `vtx probe` says why.
    init?(
        _ node: RenderNode, load: RenderNodeLoad, in system: SystemView, _ admits: (DriverAnswers.Row) -> Bool
    ) {
        guard let display = try? Display(node, in: system), var answers = try? DriverAnswers(asking: display)
        else { return nil }
        answers.rows.removeAll { !admits($0) }
        let matrix = VAAPICapabilities.matrix(of: node, answers, load: load.rank)
        guard matrix.codesVideo else { return nil }
        (self.display, self.answers, self.matrix) = (display, answers, matrix)
    }
}
