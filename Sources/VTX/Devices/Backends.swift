package import VTXMedia
package import VTXSession
import VTXSoftware
package import VTXSystem
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
    ///   - driverNotes: where it is noted which GPU's driver is at work, once several may be.
    package static func all(
        _ device: DeviceSelector = .auto, timeout: Double? = nil,
        willUse: @escaping @Sendable (DeviceID) -> Void = { _ in }, driverNotes: CrashNotes? = nil
    ) -> [any VideoBackend] {
        _ = LibraryMessages.areQuietByDefault
        let hardware = VAAPIBackend(
            selector: device, timeout: timeout, willUse: willUse, driverNotes: driverNotes)
        return [hardware, SoftwareBackend()]
    }

    /// What decodes and encodes on the CPU.
    package static func software() throws(TranscodeError) -> any DeviceSession {
        do throws(SessionError) { return try SoftwareBackend().openSession(on: SoftwareBackend.device) } catch {
            throw TranscodeError(.software, Message(error.message))
        }
    }
}

/// The backends as sessions see them: all sessions share the devices that are open, so that a picture on a surface can
/// go from one to the other; when a device is lost, every session reopens its devices.
final class SharedBackends: Sendable {
    /// No other process watches this one: it waits for a driver itself, as long as a GPU's own reset may take.
    static let standard = SharedBackends { Backends.all(timeout: 30) }

    /// Backends that were opened together.
    final class Generation: Sendable {
        let backends: [any VideoBackend]

        init(_ backends: [any VideoBackend]) { self.backends = backends }
    }

    private let make: @Sendable () -> [any VideoBackend]
    private let state = Locked<Generation?>(nil)

    init(_ make: @escaping @Sendable () -> [any VideoBackend]) { self.make = make }

    /// - Parameter old: a generation that is no longer trusted; the first caller replaces it.
    func current(replacing old: Generation? = nil) -> Generation {
        _ = LibraryMessages.areQuietByDefault
        return state.withLock { state in
            if let state, state !== old { return state }
            let made = Generation(make())
            state = made
            return made
        }
    }
}

/// Where a surface is: a picture can stay there for a session on the same device of the same generation.
struct SurfaceOrigin: Sendable {
    var generation: SharedBackends.Generation
    var device: DeviceID

    func isSame(as other: SurfaceOrigin) -> Bool { generation === other.generation && device == other.device }
}
