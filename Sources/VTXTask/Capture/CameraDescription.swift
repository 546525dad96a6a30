package import VTXMedia

/// A camera, and the pictures that it can give.
package struct CameraDescription: Sendable, Hashable, Codable {
    /// `/dev/video0`.
    package var path: String
    /// As its maker calls it; empty where it cannot be asked.
    package var name: String
    /// Where it is connected: `usb-0000:00:14.0-1`.
    package var bus: String
    package var formats: [CameraFormat]
    /// Why it cannot be asked.
    package var problem: String?

    package init(path: String, name: String, bus: String, formats: [CameraFormat], problem: String? = nil) {
        self.path = path
        self.name = name
        self.bus = bus
        self.formats = formats
        self.problem = problem
    }
}

/// A format of a camera's pictures, with the sizes and rates that it has them in.
package struct CameraFormat: Sendable, Hashable, Codable {
    /// V4L2's four characters: `YUYV`, `MJPG`.
    package var fourCC: String
    /// vtx can record it.
    package var isSupported: Bool
    package var modes: [CameraMode]

    package init(fourCC: String, isSupported: Bool, modes: [CameraMode]) {
        self.fourCC = fourCC
        self.isSupported = isSupported
        self.modes = modes
    }
}

/// A size, and how many pictures of it come in a second.
package struct CameraMode: Sendable, Hashable, Codable {
    package var size: PixelSize
    /// Any size up to this one is there, in steps that the camera knows; nil where there is this size alone.
    package var maxSize: PixelSize?
    /// Pictures a second, the most first; where any rate is there, the most and the fewest.
    package var frameRates: [Rational]

    package init(size: PixelSize, maxSize: PixelSize? = nil, frameRates: [Rational]) {
        self.size = size
        self.maxSize = maxSize
        self.frameRates = frameRates
    }
}

/// A microphone that can be recorded beside a camera.
package struct MicrophoneDescription: Sendable, Hashable, Codable {
    /// ALSA's name: `default`, `plughw:CARD=C920,DEV=0`.
    package var device: String
    /// As its maker, or the configuration, calls it.
    package var name: String

    package init(device: String, name: String) {
        self.device = device
        self.name = name
    }
}

/// What there is to record.
package struct CaptureDevices: Sendable, Hashable, Codable {
    package var cameras: [CameraDescription]
    package var microphones: [MicrophoneDescription]

    package init(cameras: [CameraDescription], microphones: [MicrophoneDescription]) {
        self.cameras = cameras
        self.microphones = microphones
    }
}
