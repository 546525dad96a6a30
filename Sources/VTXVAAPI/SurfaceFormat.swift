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
    static func all(in row: DriverCapabilities.Row) -> [SurfaceFormat] {
        [nv12, p010].filter { format in
            guard let listed = row.surfaces?.formats, !listed.isEmpty else {
                return row.rtFormats.contains(format.rtFormat)
            }
            return listed.contains(format.fourCC) && (row.rtFormats.isEmpty || row.rtFormats.contains(format.rtFormat))
        }
    }
}
