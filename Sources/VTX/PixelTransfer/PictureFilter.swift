import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem

/// Applies a filter to frames in sequence: on the GPU whose surfaces they are on if it can, otherwise in software.
/// Thread-safe.
final class PictureFilter: Sendable {
    /// The properties that select the filter.
    private struct Key: Hashable {
        var target: FilterConfiguration
        var device: DeviceID?
        var generation: ObjectIdentifier?
    }

    private let backends: SharedBackends
    private let last = Locked<(key: Key, transfer: PixelTransfer)?>(nil)
    private static let timeBase = Rational(1, 90_000)

    init(_ backends: SharedBackends) { self.backends = backends }

    static func configuration(
        size: PixelSize, format: PixelFormat, color: ColorDescription
    ) -> FilterConfiguration {
        FilterConfiguration(
            size: size, pixelFormat: format, color: color, scaling: .fill, isSquare: false, deinterlacing: .never,
            orientation: .upright, frameRate: nil, sourceFrameRate: 25, timeBase: timeBase)
    }

    func apply(_ target: FilterConfiguration, to picture: PixelBuffer) throws(SessionError) -> PixelBuffer {
        if picture.frame.dmaBuf != nil { return try filter(target, picture.inMemory()) }
        do throws(SessionError) { return try filter(target, picture) } catch {
            // Software does what the GPU does not support.
            guard picture.isOnSurface else { throw error }
            return try filter(target, picture.inMemory())
        }
    }

    private func filter(_ target: FilterConfiguration, _ picture: PixelBuffer) throws(SessionError) -> PixelBuffer {
        let frame = try picture.reference()
        frame.setTimes(pts: 0, duration: 0, timeBase: Self.timeBase)
        let made = try last.withLock { last throws(SessionError) in
            let key = Key(
                target: target, device: picture.place?.device,
                generation: picture.place.map { ObjectIdentifier($0.generation) })
            if last?.key != key { last = (key, try transfer(target, picture.place)) }
            guard let last else { return frame }
            return try last.transfer.fit(frame)
        }
        do {
            let whole = try made.withRowsInOrder()
            whole.color = target.color
            return PixelBuffer(whole, at: picture.place)
        } catch { throw SessionError(error, while: "copying a picture", else: .allocationFailed) }
    }

    private func transfer(_ target: FilterConfiguration, _ place: SurfaceOrigin?) throws(SessionError) -> PixelTransfer
    {
        let generation = place?.generation ?? backends.current()
        let candidates = DeviceCandidate.all(from: generation.backends, allowsHardware: place != nil)
        guard let software = try candidates.first(where: { !$0.matrix.isHardware })?.open() else {
            throw SessionError(.notAvailableNow, "there is no software backend")
        }
        let device = try place.flatMap { place in candidates.first { $0.matrix.device == place.device } }?.open()
        return PixelTransfer(device: device ?? software, software: software, target: target)
    }
}
