import Testing
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

@Suite("Reading a damaged container")
struct DemuxingTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("what Matroska's demuxer skips silently is counted")
    func skippedDamage() throws {
        let path = directory.file("a.mkv")
        let recipe = VideoRecipe {
            $0.frameCount = 40
            $0.keyFrameInterval = 10
        }
        try MovieRecipe(recipe, nil) { $0.muxerOptions = [("cluster_time_limit", "400")] }.write(to: path)
        let undamaged = try MediaFile(path)
        #expect(undamaged.packets(.video).count == 40 && undamaged.demuxer.skippedDamageCount == 0)
        var bytes = try Files.read(path)
        let clusters = bytes.indices.filter { bytes[$0...].starts(with: [0x1F, 0x43, 0xB6, 0x75]) }
        try #require(clusters.count > 2)
        bytes.replaceSubrange(clusters[1]..<clusters[1] + 40, with: [UInt8](repeating: 0, count: 40))
        try Files.write(bytes, to: path)
        let damaged = try MediaFile(path)
        #expect((20..<40).contains(damaged.packets(.video).count) && damaged.demuxer.skippedDamageCount == 1)
    }
}
