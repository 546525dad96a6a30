package import VTXMedia

/// The recipe of a Blu-ray subtitle stream (PGS) with white rectangles.
package struct BitmapSubtitleRecipe: Sendable {
    package var canvas = PixelSize(320, 180)
    package var cues: [(start: Double, end: Double, region: PixelRegion)] = []
    /// The seconds before a cue at which its segments after the first are decoded.
    package var lead = 0.0

    package init(_ change: (inout BitmapSubtitleRecipe) -> Void) { change(&self) }

    /// As in Matroska: one packet for each display set.
    package var stream: ExtraStream {
        ExtraStream("hdmv_pgs_subtitle") { stream in
            stream.packets = sets.map { ExtraStream.Entry($0.time, 0, $0.segments.flatMap(\.self)) }
        }
    }

    /// A `.sup` file: each segment has its time.
    package var file: [UInt8] {
        sets.flatMap { set in
            set.segments.enumerated().flatMap { index, segment in
                let time = set.time - (index == 0 ? 0 : lead)
                let header: [UInt8] = Array("PG".utf8) + bytes(Int(time * 90_000), 4) + bytes(0, 4)
                return header + segment
            }
        }
    }

    private var sets: [(time: Double, segments: [[UInt8]])] {
        cues.flatMap { cue in [(cue.start, show(cue.region)), (cue.end, clear)] }
    }

    private var clear: [[UInt8]] { [composition([]), segment(0x80, [])] }

    private func show(_ region: PixelRegion) -> [[UInt8]] {
        let size = bytes(region.size.width, 2) + bytes(region.size.height, 2)
        let picture = size + (0..<region.size.height).flatMap { _ in row(region.size.width) }
        return [
            composition([region]),
            segment(0x17, [1, 0] + bytes(region.x, 2) + bytes(region.y, 2) + size),
            // Palette entry 1: white, opaque.
            segment(0x14, [0, 0, 1, 235, 128, 128, 255]),
            segment(0x15, [0, 0, 0, 0xC0] + bytes(picture.count, 3) + picture),
            segment(0x80, []),
        ]
    }

    private func composition(_ objects: [PixelRegion]) -> [UInt8] {
        segment(
            0x16,
            bytes(canvas.width, 2) + bytes(canvas.height, 2) + [0x10, 0, 0, 0x80, 0, 0, UInt8(objects.count)]
                + objects.flatMap { [0, 0, 0, 0] + bytes($0.x, 2) + bytes($0.y, 2) })
    }

    /// One run of entry 1, and the end of the line.
    private func row(_ width: Int) -> [UInt8] { [0] + bytes(0xC000 | width, 2) + [1, 0, 0] }

    private func segment(_ kind: UInt8, _ data: [UInt8]) -> [UInt8] { [kind] + bytes(data.count, 2) + data }

    private func bytes(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(value >> (8 * $0) & 0xFF) }
    }
}
