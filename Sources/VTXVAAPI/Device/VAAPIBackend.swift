import VTXFFmpeg
package import VTXLibVA
package import VTXMedia
package import VTXSession
import VTXSystem

/// Video on Intel and AMD GPUs, through VA-API.
///
/// A GPU that was asked what it can do stays open as long as the backend, so that it is asked once.
package final class VAAPIBackend: VideoBackend {
    package let isHardware = true
    private let system: SystemView
    private let node: String?
    private let admits: @Sendable (DriverCapabilities.Row) -> Bool
    private let nodes = Locked<Nodes?>(nil)

    /// What came of opening them.
    private struct Nodes {
        var opened: [OpenedDevice] = []
        var failed: [(node: RenderNode, error: DisplayError)] = []
    }

    /// - Parameters:
    ///   - node: the only render node to open; nil for all.
    ///   - admits: of what the drivers say, what is to be used.
    package init(
        system: SystemView = .live, node: String? = nil,
        admits: @escaping @Sendable (DriverCapabilities.Row) -> Bool = { _ in true }
    ) {
        self.system = system
        self.node = node
        self.admits = admits
    }

    package func probe() -> [CapabilityMatrix] { openNodes().opened.map(\.matrix) }

    package func unusableDevices() -> [UnusableDevice] {
        openNodes().failed.compactMap { UnusableDevice($0.node, $0.error, in: system) }
    }

    package func openSession(on device: DeviceID) throws(SessionError) -> any DeviceSession {
        guard let found = openNodes().opened.first(where: { $0.matrix.device == device }) else {
            throw SessionError(.badParameter, "there is no GPU '\(device.name)' that VA-API can use")
        }
        return try VAAPISession(found)
    }

    private func openNodes() -> Nodes {
        if let known = nodes.withLock({ $0 }) { return known }
        let all = RenderNode.all(in: system).filter { node == nil || $0.path == node }
        // With one there is nothing to choose.
        let loads = RenderNodeLoad.measure(all.map(\.path), seconds: all.count > 1 ? 0.05 : 0)
        var found = Nodes()
        for (node, load) in zip(all, loads) {
            do {
                if let device = try OpenedDevice(node, load: load, in: system, admits) { found.opened.append(device) }
            } catch {
                found.failed.append((node, error))
            }
        }
        nodes.withLock { $0 = found }
        return found
    }
}

extension UnusableDevice {
    /// nil for what is not expected to work: GPUs of other makers, and virtual ones.
    fileprivate init?(_ node: RenderNode, _ error: DisplayError, in system: SystemView) {
        guard let diagnosis = NodeReport(node, .failure(error), in: system).diagnoses.first,
            ![.nvidia, .virtualGPU, .notDRM].contains(diagnosis.kind)
        else { return nil }
        self.init(selectors: node.selectors, reason: diagnosis.sentence, hint: diagnosis.hint)
    }
}

/// A GPU with what its driver says of it.
struct OpenedDevice: Sendable {
    var display: Display
    var answers: DriverCapabilities
    var matrix: CapabilityMatrix

    /// nil where the driver codes no video: `vtx probe` says why.
    init?(
        _ node: RenderNode, load: RenderNodeLoad, in system: SystemView, _ admits: (DriverCapabilities.Row) -> Bool
    ) throws(DisplayError) {
        var (display, answers) = try DriverCapabilities.opening(node, in: system)
        answers.rows.removeAll { !admits($0) }
        let matrix = VAAPICapabilities.matrix(of: node, answers, load: load.rank)
        guard matrix.codesVideo else { return nil }
        (self.display, self.answers, self.matrix) = (display, answers, matrix)
    }
}
