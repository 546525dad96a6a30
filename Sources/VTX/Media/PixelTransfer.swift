import VTXFFmpeg
import VTXMedia
import VTXSession

/// Brings pictures of any shape into one: on the device where it can, else in software.
///
/// Unchecked: it belongs to one session's queue.
final class PixelTransfer: @unchecked Sendable {
    private let device: any DeviceSession
    private let software: any DeviceSession
    private let target: FilterConfiguration
    private var built: (shape: FrameFormat, isOnSurface: Bool, filter: any VideoFilter)?

    init(device: any DeviceSession, software: any DeviceSession, target: FilterConfiguration) {
        self.device = device
        self.software = software
        self.target = target
    }

    func fit(_ frame: Frame) throws(SessionError) -> Frame {
        let shape = FrameFormat(frame)
        if let built, built.shape == shape, built.isOnSurface == frame.isOnSurface {
            return try built.filter.apply(to: frame)
        }
        let canDevice = device.capabilities.filtering.obstacle(to: target, from: shape) == nil
        let filter = try (canDevice ? device : software).makeFilter(
            target, from: frame.isOnSurface ? device : software, to: device)
        built = (shape, frame.isOnSurface, filter)
        return try filter.apply(to: frame)
    }
}
