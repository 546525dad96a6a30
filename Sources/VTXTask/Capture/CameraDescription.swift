package import VTXMedia

/// A camera and its formats.
package struct CameraDescription: Sendable, Hashable, Codable {
    /// `/dev/video0`.
    package var path: String
    /// The name from the device; empty if it cannot be queried.
    package var name: String
    /// The bus to which it is connected: `usb-0000:00:14.0-1`.
    package var bus: String
    package var formats: [CameraFormat]
    /// Why it cannot be queried.
    package var problem: String?

    package init(path: String, name: String, bus: String, formats: [CameraFormat], problem: String? = nil) {
        self.path = path
        self.name = name
        self.bus = bus
        self.formats = formats
        self.problem = problem
    }
}

/// A pixel format of a camera, with its sizes and frame rates.
package struct CameraFormat: Sendable, Hashable, Codable {
    /// V4L2's four characters: `YUYV`, `MJPG`.
    package var fourCC: String
    /// Whether vtx can record it.
    package var isSupported: Bool
    package var modes: [CameraMode]

    package init(fourCC: String, isSupported: Bool, modes: [CameraMode]) {
        self.fourCC = fourCC
        self.isSupported = isSupported
        self.modes = modes
    }
}

/// A size with its frame rates.
package struct CameraMode: Sendable, Hashable, Codable {
    package var size: PixelSize
    /// If set, any size up to this one is supported, in steps defined by the camera; nil if only this size is
    /// supported.
    package var maxSize: PixelSize?
    /// Frame rates, highest first. If any rate is supported, the highest and the lowest.
    package var frameRates: [Rational]

    package init(size: PixelSize, maxSize: PixelSize? = nil, frameRates: [Rational]) {
        self.size = size
        self.maxSize = maxSize
        self.frameRates = frameRates
    }
}

/// A microphone that can be recorded with a camera.
package struct MicrophoneDescription: Sendable, Hashable, Codable {
    /// The ALSA name: `default`, `plughw:CARD=C920,DEV=0`.
    package var device: String
    /// The name from the device or from ALSA's configuration.
    package var name: String

    package init(device: String, name: String) {
        self.device = device
        self.name = name
    }
}

/// The devices to record from.
package struct CaptureDevices: Sendable, Hashable, Codable {
    package var cameras: [CameraDescription]
    package var microphones: [MicrophoneDescription]

    package init(cameras: [CameraDescription], microphones: [MicrophoneDescription]) {
        self.cameras = cameras
        self.microphones = microphones
    }
}
