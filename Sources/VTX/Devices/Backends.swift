import VTXFFmpeg
package import VTXMedia
package import VTXSession
import VTXSoftware
package import VTXSystem
package import VTXTask
import VTXVAAPI

/// The only place that names the backends, in order of preference.
package enum Backends {
    /// Creates backends for one job. A GPU stays open as long as the job that opened it.
    ///
    /// - Parameters:
    ///   - device: The GPUs that may be opened.
    ///   - timeout: The time a driver has to report its capabilities, in seconds; nil for no limit.
    ///   - willUse: Called with a GPU each time before its driver is called for another purpose.
    ///   - driverNotes: Records which GPU's driver is at work if there may be several.
    package static func all(
        _ device: DeviceSelector = .auto, timeout: Double? = nil,
        willUse: @escaping @Sendable (DeviceID) -> Void = { _ in }, driverNotes: CrashNotes<DriverUse>? = nil
    ) -> [any VideoBackend] {
        _ = LibraryMessages.areQuietByDefault
        let hardware = VAAPIBackend(
            selector: device, timeout: timeout, willUse: willUse, driverNotes: driverNotes)
        return [hardware, SoftwareBackend()]
    }

    /// The backend that decodes and encodes on the CPU.
    package static func software() throws(TranscodeError) -> any DeviceSession {
        do throws(SessionError) { return try SoftwareBackend().openSession(on: SoftwareBackend.device) } catch {
            throw TranscodeError(.software, Message(error.message))
        }
    }
}

/// The backends of all sessions in the process. Sessions share the open devices, so that a frame on a surface can pass
/// from one session to another. When a device is lost, every session reopens its devices.
final class SharedBackends: Sendable {
    /// No other process supervises this one, so it waits for a driver itself, for as long as a GPU reset may take.
    static let standard = SharedBackends { Backends.all(timeout: 30) }

    /// Backends that were opened together.
    final class Generation: Sendable {
        let backends: [any VideoBackend]

        init(_ backends: [any VideoBackend]) { self.backends = backends }
    }

    private let make: @Sendable () -> [any VideoBackend]
    private let state = Locked<Generation?>(nil)

    init(_ make: @escaping @Sendable () -> [any VideoBackend]) { self.make = make }

    /// - Parameter old: A generation that is no longer trusted; the first caller replaces it.
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

/// The device and generation of a surface. A session on the same device and generation can use the surface directly.
struct SurfaceOrigin: Sendable {
    var generation: SharedBackends.Generation
    var device: DeviceID

    func isSame(as other: SurfaceOrigin) -> Bool { generation === other.generation && device == other.device }
}

/// The log messages of libav*. Silent by default.
package enum LibraryMessages {
    /// Silences libav*, which prints to standard error by default; a library must not. Evaluated once, before use.
    static let areQuietByDefault: Void = LibraryLog.redirect(level: .error, to: nil)

    /// - Parameters:
    ///   - verbose: Whether to include informational messages besides warnings.
    ///   - receiver: Called with one line at a time, from any thread; nil for silence.
    package static func send(verbose: Bool, to receiver: (@Sendable (String) -> Void)?) {
        _ = areQuietByDefault
        guard let receiver else { return LibraryLog.redirect(level: .error, to: nil) }
        LibraryLog.redirect(level: verbose ? .info : .warning) { _, component, text in
            receiver("\(component): \(text)")
        }
    }
}

extension LibraryVersion {
    /// The versions of the libraries in use.
    package static var all: [LibraryVersion] {
        FFmpegVersions.all.map { LibraryVersion(name: $0.name, version: $0.version) }
    }
}
