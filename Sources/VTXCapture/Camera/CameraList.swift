import Glibc
import VTXSystem
package import VTXTask

/// The cameras of this machine.
package enum CameraList {
    /// Nodes have these numbers at most (Linux: `VIDEO_NUM_DEVICES`).
    private static let nodes = 0..<256

    /// Those that give pictures: other nodes of the same device, which give metadata, are left out.
    package static func all() -> [CameraDescription] { nodes.compactMap { describe("/dev/video\($0)") } }

    private static func describe(_ path: String) -> CameraDescription? {
        do throws(SystemError) {
            let device = try V4L2Device(path)
            let capabilities = try device.capabilities()
            guard capabilities.isCamera else { return nil }
            return CameraDescription(
                path: path, name: capabilities.name, bus: capabilities.bus, formats: device.formats())
        } catch {
            guard [EACCES, EPERM, EBUSY].contains(error.code) else { return nil }
            return CameraDescription(path: path, name: "", bus: "", formats: [], problem: error.reason)
        }
    }
}
