import VTXFFmpeg
import VTXMedia
import VTXSession

/// Converts frames of any size and format to one size and format: on the device if it can, otherwise in software.
///
/// Unchecked: it is confined to the queue of one session.
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
        let filter = try makeFilter(from: shape, isOnSurface: frame.isOnSurface)
        built = (shape, frame.isOnSurface, filter)
        return try filter.apply(to: frame)
    }

    private func makeFilter(from shape: FrameFormat, isOnSurface: Bool) throws(SessionError) -> any VideoFilter {
        let source = isOnSurface ? device : software
        guard device.capabilities.filtering.obstacle(to: target, from: shape) == nil else {
            return try software.makeFilter(target, from: source, to: device)
        }
        do { return try device.makeFilter(target, from: source, to: device) } catch {
            // The device says that it can, and cannot: it is not what it was, and the next one is tried.
            guard device.capabilities.isHardware, error.code != .allocationFailed else { throw error }
            throw SessionError(.hardwareMalfunction, error.message)
        }
    }
}
