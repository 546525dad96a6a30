import Glibc
import VTXSystem

/// Has the vtx command ask a driver what it can do, and keep in `DriverHistory` what comes of it. For drivers that never
/// answered here: one that crashes takes only that process along.
package struct DriverInquiry: Sendable {
    private let command: String
    /// `vtx probe` gives up on a driver after 10 s, or as `VTX_GPU_TIMEOUT` says.
    private static var timeout: Double { 30 }

    /// - Parameter command: a path of the vtx command.
    package init(command: String) { self.command = command }

    /// By the command that was installed with this program, or in the system; nil where there is none, or where it could
    /// not keep what it finds.
    package static let installed: DriverInquiry? = {
        guard DriverFile.standard?.isWritable ?? false else { return nil }
        let own = (try? Launch.installed("vtx"))?.executable
        let places = [own].compactMap(\.self) + ["/usr/local/bin/vtx", "/usr/bin/vtx"]
        return places.first { access($0, X_OK) == 0 }.map { DriverInquiry(command: $0) }
    }()

    /// Returns when it has been asked. Where that cannot be done, the driver stays unknown.
    package func ask(_ node: RenderNode) {
        let launch = Launch(quiet: command, arguments: ["vtx", "probe", "--device", node.path])
        _ = try? VTXSystem.Thread.run(within: Self.timeout, "vtx-inquiry") {
            guard var process = try? Subprocess(launch, isSilent: true) else { return }
            _ = process.wait()
        }
    }
}
