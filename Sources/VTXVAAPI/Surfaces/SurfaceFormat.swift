import VTXLibVA
import VTXMedia

/// The layouts of surfaces that vtx works with, by VA's name and libavutil's.
struct SurfaceFormat: Sendable, Hashable {
    var fourCC: FourCC
    var rtFormat: RTFormat
    var pixelFormat: PixelFormat

    static let nv12 = SurfaceFormat(fourCC: .nv12, rtFormat: .yuv420, pixelFormat: .nv12)
    static let p010 = SurfaceFormat(fourCC: .p010, rtFormat: .yuv420x10, pixelFormat: .p010)

    /// The one that holds samples of this depth.
    static func of(_ format: PixelFormat) -> SurfaceFormat { format.bitDepth > 8 ? p010 : nv12 }

    /// Those that the driver lists for a profile and entrypoint; where it lists none, its kinds of samples count.
    ///
    /// The list of surfaces has the last word: iHD's video processor takes P010 and has no `VA_RT_FORMAT_YUV420_10`.
    static func all(in row: DriverCapabilities.Row) -> [SurfaceFormat] {
        let listed = row.surfaces?.formats ?? []
        return [nv12, p010].filter {
            listed.isEmpty ? row.rtFormats.contains($0.rtFormat) : listed.contains($0.fourCC)
        }
    }
}
