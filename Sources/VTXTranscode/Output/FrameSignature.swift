import Glibc
import VTXFFmpeg
import VTXMedia

/// A frame in small: the means of blocks spread over it. It tells whether two frames show the same, at any quality.
struct FrameSignature: Sendable, Hashable {
    private static let blockSize = 8

    /// Luma, Cb, Cr, in 8-bit samples.
    private let components: [[UInt8]]

    /// Takes microseconds for a frame in memory; one on a surface is copied to memory first.
    init(_ frame: Frame) throws(FFmpegError) {
        let picture = frame.isOnSurface ? try frame.download() : frame
        let luma = Self.grid(PixelSize(32, 18), on: picture.size)
        let chroma = Self.grid(PixelSize(16, 9), on: PixelSize(picture.size.width / 2, picture.size.height / 2))
        components = [luma, chroma, chroma].enumerated().map {
            picture.blockMeans(of: $0.offset, grid: $0.element, size: Self.blockSize)
        }
    }

    /// On a small frame fewer blocks: small ones would be noise at a low quality.
    private static func grid(_ most: PixelSize, on size: PixelSize) -> PixelSize {
        PixelSize(
            min(most.width, max(1, size.width / blockSize)), min(most.height, max(1, size.height / blockSize)))
    }

    /// The peak signal-to-noise ratio of the worst component, in dB; infinite where nothing differs.
    func psnr(against other: FrameSignature) -> Double {
        zip(components, other.components).map(Self.psnr).min() ?? .infinity
    }

    private static func psnr(_ found: [UInt8], _ wanted: [UInt8]) -> Double {
        let errors = zip(found, wanted).map { (Int($0) - Int($1)) * (Int($0) - Int($1)) }
        return PSNR.decibels(squaredError: Double(errors.reduce(0, +)), count: Double(wanted.count), peak: 255)
    }
}

/// The peak signal-to-noise ratio.
enum PSNR {
    /// - Parameter count: of the samples whose squared errors make the sum.
    static func decibels(squaredError: Double, count: Double, peak: Double) -> Double {
        squaredError == 0 ? .infinity : 10 * log10(peak * peak * count / squaredError)
    }
}
