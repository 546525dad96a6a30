import VTXCapture
public import VTXMedia
import VTXTask

/// A camera (AVFoundation: `AVCaptureDevice`).
public struct CaptureDevice: Sendable, Hashable {
    /// The device node, `/dev/video0`.
    public var path: String
    /// The name that the camera reports; empty if it cannot be queried.
    public var name: String
    /// The supported formats. Empty for the test picture, which supports any size and rate.
    public var formats: [Format]

    /// A pixel format of a camera in one size (AVFoundation: `AVCaptureDevice.Format`).
    public struct Format: Sendable, Hashable {
        /// V4L2's four-character code: `YUYV`, `MJPG`.
        public var fourCC: String
        /// Whether a ``CaptureSession`` can read the format.
        public var isSupported: Bool
        public var size: PixelSize
        /// The maximum size, if any size up to it is supported; nil if only ``size`` is.
        public var maxSize: PixelSize?
        /// The frame rates, in frames per second, highest first. If any rate is supported, the highest and the lowest.
        public var frameRates: [Rational]
    }

    /// The cameras of this machine that can be used.
    public static var devices: [CaptureDevice] {
        CameraList.all().filter { $0.problem == nil }.map(CaptureDevice.init)
    }

    /// The first camera with a readable format; nil if there is none.
    public static var `default`: CaptureDevice? { devices.first { $0.formats.contains(where: \.isSupported) } }

    /// A test picture in real time, for programs and tests without a camera.
    public static let testPicture = CaptureDevice(path: CaptureRequest.testDevice, name: "test picture", formats: [])

    /// Returns the camera with this node. It is looked up when a session opens it.
    public init(path: String) { self.init(path: path, name: "", formats: []) }

    private init(path: String, name: String, formats: [Format]) {
        (self.path, self.name, self.formats) = (path, name, formats)
    }

    private init(_ camera: CameraDescription) {
        let formats = camera.formats.flatMap { format in
            format.modes.map {
                Format(
                    fourCC: format.fourCC, isSupported: format.isSupported, size: $0.size, maxSize: $0.maxSize,
                    frameRates: $0.frameRates)
            }
        }
        self.init(path: camera.path, name: camera.name, formats: formats)
    }
}

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
