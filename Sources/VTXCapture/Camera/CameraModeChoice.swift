import VTXMedia
import VTXTask

/// Chooses the camera format, size and frame rate nearest to the request. Pure.
struct CameraModeChoice: Sendable, Hashable {
    var format: CameraPixelFormat
    var size: PixelSize
    var frameRate: Rational

    /// Returns the nearest mode. The size has priority over the frame rate, and that over the format. Uncompressed
    /// formats are preferred, because they are lossless.
    ///
    /// - Returns: the mode; nil if the camera has no supported format.
    static func nearest(to size: PixelSize, _ frameRate: Rational, of formats: [CameraFormat]) -> CameraModeChoice? {
        formats.flatMap { choices(of: $0, size, frameRate) }.min { $0.rank(size, frameRate) < $1.rank(size, frameRate) }
    }

    private static func choices(
        of format: CameraFormat, _ size: PixelSize, _ frameRate: Rational
    ) -> [CameraModeChoice] {
        guard let known = CameraPixelFormat(rawValue: format.fourCC) else { return [] }
        // Some drivers list no sizes; they choose the nearest to the request.
        let modes = format.modes.isEmpty ? [CameraMode(size: size, frameRates: [])] : format.modes
        return modes.map { mode in
            CameraModeChoice(
                format: known, size: mode.nearest(to: size), frameRate: mode.nearestRate(to: frameRate) ?? frameRate)
        }
    }

    private func rank(_ wanted: PixelSize, _ frameRate: Rational) -> (Int, Double, Int) {
        let distance = abs(size.width - wanted.width) + abs(size.height - wanted.height)
        let order = CameraPixelFormat.allCases.firstIndex(of: format) ?? 0
        return (distance, abs(self.frameRate.value - frameRate.value), order)
    }
}

extension CameraMode {
    func nearest(to wanted: PixelSize) -> PixelSize {
        guard let maxSize else { return size }
        return PixelSize(
            min(max(wanted.width, size.width), maxSize.width), min(max(wanted.height, size.height), maxSize.height))
    }

    /// Returns the lowest sufficient frame rate, else the highest; nil if the camera lists none.
    func nearestRate(to wanted: Rational) -> Rational? {
        let rates = frameRates.sorted { $0.value < $1.value }
        guard maxSize == nil else {
            guard let least = rates.first, let most = rates.last else { return nil }
            return wanted.value < least.value ? least : wanted.value > most.value ? most : wanted
        }
        // Cameras do not distinguish between 30 and 30000/1001.
        return rates.first { $0.value >= wanted.value * 0.998 } ?? rates.last
    }
}
