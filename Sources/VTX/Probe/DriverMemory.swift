import VTXLibVA
import VTXTranscode

/// What GPUs' drivers did to processes of vtx, by the GPU's render node; see `DriverFaults`.
package enum DriverMemory {
    /// A GPU that this process leaves alone, as words for another process.
    package struct Fault: Sendable, Hashable, Codable {
        package var device: String
        var fault: DriverFault

        /// - Parameters:
        ///   - deed: what the driver did, after its name: `aborted (SIGABRT) while vtx looked at it`.
        ///   - isWhileAsked: nothing was coded yet, so it fails at every job.
        package init(_ device: String, _ deed: String, isHang: Bool, isWhileAsked: Bool) {
            self.device = device
            fault = DriverFaults.shared.makeFault(
                isHang ? .hung : .crashed, deed, isWhileAsked ? .asked : .working)
        }
    }

    /// Has this process leave the GPU alone, and others too.
    package static func note(_ fault: Fault) {
        node(fault.device).map { DriverFaults.shared.note(fault.fault, of: $0) }
    }

    /// Has this process alone leave it alone.
    package static func adopt(_ fault: Fault) {
        node(fault.device).map { DriverFaults.shared.note(fault.fault, of: $0, keeps: false) }
    }

    /// The driver has answered.
    package static func forget(_ device: String) { node(device).map { DriverFaults.shared.forget($0) } }

    /// What is to be said in place of asking; nil where the driver may be asked.
    package static func answer(for device: String) -> NodeProbe? {
        node(device).flatMap { node in
            DriverFaults.shared.fault(of: node).map { fault in
                NodeProbe(problems: [
                    Problem(
                        kind: fault.kind == .hung ? "driverHung" : "driverCrashed",
                        message: "\(device): \(DriverFaults.shared.sentence(fault))",
                        hint: DriverFault.hint)
                ])
            }
        }
    }

    private static func node(_ device: String) -> RenderNode? { RenderNode.all().first { $0.path == device } }
}
