import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem

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
