import VTXFFmpeg
import VTXMedia
import VTXSession

extension DeviceSession {
    /// Frames that a test can read: in memory, in a planar format.
    func readable(_ frames: [Frame]) throws -> [Frame] {
        try frames.map { frame in
            let planar = PixelFormat.planar(frame.pixelFormat.chroma, bitDepth: frame.pixelFormat.bitDepth)
            let download = try makeDownload(as: planar)
            try download.send(frame)
            guard case .unit(let picture) = try download.receive() else {
                throw ConformanceError("a frame does not come back from the device")
            }
            return picture
        }
    }
}

/// The error of a check that cannot continue.
struct ConformanceError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
