import VTXCapture
import VTXTask

/// A microphone, recorded by ALSA (AVFoundation: `AVCaptureDevice` for audio).
public struct CaptureMicrophone: Sendable, Hashable {
    /// ALSA's name: `default`, `plughw:CARD=C920,DEV=0`.
    public var device: String
    /// As its maker, or ALSA's configuration, calls it; empty where it was not asked.
    public var name: String

    /// The microphones of this machine.
    public static var microphones: [CaptureMicrophone] {
        MicrophoneList.all().map { CaptureMicrophone(device: $0.device, name: $0.name) }
    }

    /// What the machine's configuration takes where no microphone is named.
    public static let `default` = CaptureMicrophone(device: "default")

    public init(device: String) { self.init(device: device, name: "") }

    private init(device: String, name: String) { (self.device, self.name) = (device, name) }
}
