import VTXCapture
import VTXTask

/// A microphone, recorded through ALSA (AVFoundation: `AVCaptureDevice` for audio).
public struct CaptureMicrophone: Sendable, Hashable {
    /// The ALSA name: `default`, `plughw:CARD=C920,DEV=0`.
    public var device: String
    /// The name from the device or from ALSA's configuration; empty if it has not been queried.
    public var name: String

    /// The microphones of this machine.
    public static var microphones: [CaptureMicrophone] {
        MicrophoneList.all().map { CaptureMicrophone(device: $0.device, name: $0.name) }
    }

    /// The default microphone of the machine's ALSA configuration.
    public static let `default` = CaptureMicrophone(device: "default")

    public init(device: String) { self.init(device: device, name: "") }

    private init(device: String, name: String) { (self.device, self.name) = (device, name) }
}
