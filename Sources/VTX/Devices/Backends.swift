package import VTXMedia
package import VTXSession
import VTXSoftware
package import VTXTask
import VTXVAAPI

/// The only place that names the backends; the order is the order of preference.
package enum Backends {
    /// New ones for each job: a GPU stays open as long as the job that asked for it.
    ///
    /// - Parameters:
    ///   - device: the GPUs that may be opened.
    ///   - timeout: seconds for a driver to say what it can do; nil for ever.
    ///   - willUse: hears of a GPU each time before its driver is called for something else.
    package static func all(
        _ device: DeviceSelector = .auto, timeout: Double? = nil,
        willUse: @escaping @Sendable (DeviceID) -> Void = { _ in }
    ) -> [any VideoBackend] {
        _ = LibraryMessages.areQuietByDefault
        return [VAAPIBackend(selector: device, timeout: timeout, willUse: willUse), SoftwareBackend()]
    }

    /// What decodes and encodes on the CPU.
    package static func software() throws(TranscodeError) -> any DeviceSession {
        do throws(SessionError) { return try SoftwareBackend().openSession(on: SoftwareBackend.device) } catch {
            throw TranscodeError(.software, Message(error.message))
        }
    }
}
