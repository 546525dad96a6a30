import VTXCapture
public import VTXMedia
import VTXTask

/// A camera (AVFoundation: `AVCaptureDevice`).
public struct CaptureDevice: Sendable, Hashable {
    /// The camera's node, `/dev/video0`.
    public var path: String
    /// As its maker calls it; empty where it cannot be asked.
    public var name: String
    /// What it can give. Empty for the test picture, which has any size and rate.
    public var formats: [Format]

    /// A format of its pictures, in one size (AVFoundation: `AVCaptureDevice.Format`).
    public struct Format: Sendable, Hashable {
        /// V4L2's four characters: `YUYV`, `MJPG`.
        public var fourCC: String
        /// A ``CaptureSession`` can read it.
        public var isSupported: Bool
        public var size: PixelSize
        /// Any size up to this one is there; nil where there is ``size`` alone.
        public var maxSize: PixelSize?
        /// Pictures a second, the most first; where any rate is there, the most and the fewest.
        public var frameRates: [Rational]
    }

    /// The cameras of this machine that may be used.
    public static var devices: [CaptureDevice] {
        Capturer.cameras().filter { $0.problem == nil }.map(CaptureDevice.init)
    }

    /// The first camera with a format that can be read; nil where there is none.
    public static var `default`: CaptureDevice? { devices.first { $0.formats.contains(where: \.isSupported) } }

    /// A test picture that comes in real time, for programs and tests without a camera.
    public static let testPicture = CaptureDevice(path: CaptureRequest.testDevice, name: "test picture", formats: [])

    /// The camera with this node, as it is found when a session opens it.
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
