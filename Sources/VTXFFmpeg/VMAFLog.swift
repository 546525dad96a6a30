import VTXMedia
import VTXSystem

/// What libavfilter's `libvmaf` writes into a file when it is freed: it tells the values of pictures nowhere else.
///
/// The file is in a directory of its own, which goes with its owner.
final class VMAFLog {
    private let directory: ScratchDirectory

    private var path: String { "\(directory.path)/vmaf.json" }

    private static let largest = 1 << 30

    init() throws(FFmpegError) {
        do throws(SystemError) { directory = try ScratchDirectory("vtx-vmaf") } catch {
            throw FFmpegError("libvmaf's log", -error.code)
        }
    }

    /// The filter's own, for pictures of this size: from about 1440 lines on those of a model for large screens.
    func options(for size: PixelSize) -> String {
        let isLarge = size.width * size.height > 2560 * 1440
        let model = isLarge ? "vmaf_4k_v0.6.1" : "vmaf_v0.6.1"
        let file = FilterGraph.escaped(path)
        return "log_fmt=json:log_path=\(file):model=version=\(model):n_threads=\(Machine.here.cores)"
    }

    /// Of each picture, in their order.
    func values() -> [Double] {
        guard let text = TextFile.read(path, limit: Self.largest) else { return [] }
        return Self.values(in: text)
    }

    /// Each picture has a line `"vmaf": 97.428043`; the mean's line has a brace there.
    static func values(in text: String) -> [Double] {
        text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.filter { !" ,".contains($0) } }
            return parts.first == "\"vmaf\"" ? parts.last.flatMap(Double.init) : nil
        }
    }
}
