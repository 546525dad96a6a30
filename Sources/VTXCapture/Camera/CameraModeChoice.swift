import VTXMedia
import VTXTask

/// The format, size and rate of a camera that are nearest to what is wanted. Pure.
struct CameraModeChoice: Sendable, Hashable {
    var format: CameraPixelFormat
    var size: PixelSize
    var frameRate: Rational

    /// The size counts first, then the rate, then the format: pictures that are not coded lose nothing on the way.
    ///
    /// - Returns: nil where the camera has no format that can be recorded.
    static func nearest(to size: PixelSize, _ frameRate: Rational, of formats: [CameraFormat]) -> CameraModeChoice? {
        formats.flatMap { choices(of: $0, size, frameRate) }.min { $0.rank(size, frameRate) < $1.rank(size, frameRate) }
    }

    private static func choices(
        of format: CameraFormat, _ size: PixelSize, _ frameRate: Rational
    ) -> [CameraModeChoice] {
        guard let known = CameraPixelFormat(rawValue: format.fourCC) else { return [] }
        // Some drivers name no sizes; they take the nearest to what is asked for.
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

    /// The lowest that is enough, else the highest; nil where the camera names none.
    func nearestRate(to wanted: Rational) -> Rational? {
        let rates = frameRates.sorted { $0.value < $1.value }
        guard maxSize == nil else {
            guard let least = rates.first, let most = rates.last else { return nil }
            return wanted.value < least.value ? least : wanted.value > most.value ? most : wanted
        }
        // 30 and 30000/1001 are the same to cameras.
        return rates.first { $0.value >= wanted.value * 0.998 } ?? rates.last
    }
}
