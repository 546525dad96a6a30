import VTXLibVA
import VTXMedia
package import VTXTask

/// What GPUs' drivers did to processes of vtx, by the GPU's render node; see `DriverHistory`.
package enum DriverMemory {
    /// Has this process leave the GPU alone.
    ///
    /// - Parameter keeps: other processes do, too.
    package static func note(_ failure: DriverFailure, keeps: Bool) {
        guard let device = failure.device, let node = node(device.name) else { return }
        let fault = DriverHistory.shared.makeFault(
            failure.isHang ? .hung : .crashed, failure.deed, failure.isWhileAsked ? .asked : .working)
        DriverHistory.shared.note(fault, of: node, keeps: keeps)
    }

    /// The driver has answered.
    package static func noteAnswer(of device: String) { node(device).map { DriverHistory.shared.noteAnswer(of: $0) } }

    /// What is to be said in place of asking; nil where the driver may be asked.
    package static func answer(for device: String) -> NodeProbe? {
        node(device).flatMap { node in
            DriverHistory.shared.fault(of: node).map { fault in
                NodeProbe(problems: [
                    Problem(
                        kind: fault.kind == .hung ? "driverHung" : "driverCrashed",
                        message: "\(device): \(DriverHistory.shared.sentence(fault))",
                        hint: DriverFault.hint)
                ])
            }
        }
    }

    private static func node(_ device: String) -> RenderNode? { RenderNode.all().first { $0.path == device } }
}
