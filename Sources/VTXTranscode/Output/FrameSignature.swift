import Glibc
import VTXFFmpeg
import VTXMedia

/// A small signature of a frame: the means of blocks distributed over it. It tells whether two frames show the same
/// content, at any quality.
struct FrameSignature: Sendable, Hashable, Codable {
    /// Luma, Cb and Cr as 8-bit samples, row by row, one component after the other. With the rest of a sample, two
    /// hours take 50 MB.
    private let means: [UInt8]
    private let (luma, chroma): (Grid, Grid)
    private let hasChroma: Bool

    /// Takes microseconds for a frame in memory. A frame on a surface is copied to memory first.
    init(_ frame: Frame) throws(FFmpegError) {
        let picture = frame.isOnSurface ? try frame.download() : frame
        let luma = Grid(columns: 16, rows: 9, on: picture.size)
        let chroma = Grid(columns: 8, rows: 4, on: PixelSize(picture.size.width / 2, picture.size.height / 2))
        let color = [1, 2].flatMap { picture.blockMeans(of: $0, grid: chroma.size, size: Grid.blockSize) }
        means = picture.blockMeans(of: 0, grid: luma.size, size: Grid.blockSize) + color
        (self.luma, self.chroma) = (luma, chroma)
        hasChroma = !color.isEmpty
    }

    /// - Returns: nil for bytes that are not a signature.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > 4 else { return nil }
        luma = Grid(columns: bytes[0], rows: bytes[1])
        chroma = Grid(columns: bytes[2], rows: bytes[3])
        means = Array(bytes[4...])
        hasChroma = means.count > luma.count
        guard means.count == grids.reduce(0, { $0 + $1.count }) else { return nil }
    }

    /// The form in a journal: the columns and rows of luma and chroma, then the means.
    var bytes: [UInt8] { [luma.columns, luma.rows, chroma.columns, chroma.rows] + means }

    /// The grid of each component.
    private var grids: [Grid] { hasChroma ? [luma, chroma, chroma] : [luma] }

    /// Returns the PSNR of the worst row of blocks of any component, in dB; infinite if there is no difference.
    func psnr(against other: FrameSignature) -> Double {
        guard grids == other.grids else { return 0 }
        var (worst, start) = (Double.infinity, 0)
        for grid in grids {
            for _ in 0..<grid.rows {
                worst = min(worst, psnr(against: other, start..<start + Int(grid.columns)))
                start += Int(grid.columns)
            }
        }
        return worst
    }

    private func psnr(against other: FrameSignature, _ blocks: Range<Int>) -> Double {
        var sum = 0
        for block in blocks {
            let difference = Int(means[block]) - Int(other.means[block])
            sum += difference * difference
        }
        return PSNR.decibels(squaredError: Double(sum), count: Double(blocks.count), peak: 255)
    }
}

/// Blocks of 8 by 8 samples, distributed over a component.
private struct Grid: Hashable, Codable {
    static let blockSize = 8

    let columns: UInt8
    let rows: UInt8

    /// Uses fewer blocks on a small frame, where small blocks would be noise at a low quality.
    init(columns: Int, rows: Int, on size: PixelSize) {
        self.columns = UInt8(clamping: min(columns, max(1, size.width / Self.blockSize)))
        self.rows = UInt8(clamping: min(rows, max(1, size.height / Self.blockSize)))
    }

    init(columns: UInt8, rows: UInt8) { (self.columns, self.rows) = (columns, rows) }

    var size: PixelSize { PixelSize(Int(columns), Int(rows)) }
    /// The number of blocks.
    var count: Int { Int(columns) * Int(rows) }
}

/// The peak signal-to-noise ratio.
enum PSNR {
    /// - Parameter count: The number of samples whose squared errors are added up.
    static func decibels(squaredError: Double, count: Double, peak: Double) -> Double {
        squaredError == 0 ? .infinity : 10 * log10(peak * peak * count / squaredError)
    }
}
