import VTXFFmpeg
package import VTXLibVA
import VTXMedia
package import VTXSession

/// Video on Intel and AMD GPUs, through VA-API.
///
/// A GPU that was asked what it can do stays open as long as the backend, so that it is asked once.
package final class VAAPIBackend: VideoBackend {
    package let isHardware = true
    private let system: SystemView
    private let opened = Locked<[OpenedDevice]?>(nil)

    package init(system: SystemView = .live) { self.system = system }

    package func probe() -> [CapabilityMatrix] { devices().map(\.matrix) }

    package func openSession(
        on device: DeviceID, budget: SurfaceBudget
    ) throws(SessionError) -> any VideoSession {
        guard let found = devices().first(where: { $0.matrix.device == device }) else {
            throw SessionError(.badParameter, "there is no GPU '\(device.name)' that VA-API can use")
        }
        return try VAAPISession(found, budget: budget)
    }

    private func devices() -> [OpenedDevice] {
        if let known = opened.withLock({ $0 }) { return known }
        let found = RenderNode.all(in: system).compactMap { OpenedDevice($0, in: system) }
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
    init?(_ node: RenderNode, in system: SystemView) {
        guard let display = try? Display(node, in: system), let answers = try? DriverAnswers(asking: display)
        else { return nil }
        let matrix = VAAPICapabilities.matrix(of: node, answers, load: RenderNodeLoad.others(using: node.path))
        guard !matrix.encoders.isEmpty || matrix.decoding != .rows([]) else { return nil }
        (self.display, self.answers, self.matrix) = (display, answers, matrix)
    }
}
