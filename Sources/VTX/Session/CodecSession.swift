import VTXMedia
import VTXSession

/// A codec that is open on a device, with what brings pictures to it or from it.
protocol OpenCodec {
    var place: SurfaceOrigin { get }
    /// A frame has come out, so the device can do it.
    var isProved: Bool { get }
}

/// The codec that a session has open: how it is opened, lost and opened again, and why the session ended.
struct CodecSession<Codec: OpenCodec> {
    private(set) var codec: Codec?
    /// Why the session has ended.
    private(set) var ending: SessionError?
    private(set) var lastFailure = SessionError(.notAvailableNow, "no device could be opened")
    private let devices: DeviceCandidates
    private var recovery = SessionRecovery()

    init(_ devices: DeviceCandidates) { self.devices = devices }

    /// Makes sure that a codec is open.
    ///
    /// - Returns: true where it is a new one.
    /// - Throws: why none can be opened; it has been tried so often that the session is to end.
    mutating func open(_ make: () throws(SessionError) -> Codec) throws(SessionError) -> Bool {
        var isNew = false
        while true {
            switch recovery.preparation {
            case .useSession: return isNew
            case .giveUp: throw lastFailure
            case .createSession:
                do throws(SessionError) {
                    codec = try make()
                    isNew = true
                } catch {
                    lastFailure = error
                    devices.renew()
                }
                recovery.noteCreation(succeeded: codec != nil)
            }
        }
    }

    /// The next frame gets a new one.
    mutating func close() {
        codec = nil
        recovery.refresh()
    }

    /// The devices may be other ones by now, and what failed before may be well again.
    mutating func refresh() {
        close()
        devices.refresh()
    }

    /// The device is not to be trusted any more, and neither is what was open on it.
    mutating func lose(after error: SessionError) -> SessionRecovery.Consequence {
        if let codec, !codec.isProved { devices.noteFailure(codec.place.device) }
        codec = nil
        devices.renew()
        return noteFailure(error)
    }

    /// A frame failed.
    mutating func noteFailure(_ error: SessionError) -> SessionRecovery.Consequence {
        lastFailure = error
        return recovery.noteFailure(error.code)
    }

    /// A frame was taken.
    mutating func noteAccepted() { recovery.noteSuccess(cameOut: false) }

    /// A frame came out.
    mutating func noteOutput() {
        if let codec { devices.noteSuccess(codec.place.device) }
        recovery.noteSuccess(cameOut: true)
    }

    /// Nothing is opened any more.
    mutating func end(with error: SessionError? = nil) {
        codec = nil
        ending = error
    }
}
