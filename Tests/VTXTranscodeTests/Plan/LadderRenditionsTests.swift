import Testing
import VTXMedia
import VTXTask

@testable import VTXTranscode

@Suite("The renditions of a ladder")
struct LadderRenditionsTests {
    private func automatic(
        _ width: Int, _ height: Int, rate: Double = 25, bitrate: Int = 0, codec: VideoCodec = .h264
    ) -> [LadderRenditions.Rendition] {
        let video = LadderRenditions.Video(
            size: PixelSize(width, height), rate: rate, bitrate: bitrate, codec: codec)
        return LadderRenditions(.auto, of: video).renditions
    }

    @Test("auto begins with the source's size, without larger ones")
    func sizes() {
        #expect(automatic(1920, 1080).map(\.name) == ["1080p", "720p", "480p", "360p", "240p"])
        #expect(automatic(1920, 1080).map(\.bitrate) == [5_000_000, 3_000_000, 1_200_000, 700_000, 350_000])
        #expect(automatic(854, 480).map(\.size) == [PixelSize(854, 480), PixelSize(640, 360), PixelSize(428, 240)])
        #expect(automatic(7680, 4320).first?.size == PixelSize(3840, 2160))
        #expect(automatic(160, 90).map(\.size) == [PixelSize(160, 90)])
    }

    @Test("a size between two rows of the table is a separate rendition")
    func between() {
        let renditions = automatic(1024, 576)
        #expect(renditions.map(\.name) == ["576p", "480p", "360p", "240p"])
        #expect(renditions[0].bitrate == 1_920_000)
    }

    @Test("other aspect ratios fit into 16:9, portrait or landscape")
    func shapes() {
        #expect(automatic(1920, 800).prefix(2).map(\.size) == [PixelSize(1920, 800), PixelSize(1280, 534)])
        #expect(automatic(1080, 1920).prefix(2).map(\.size) == [PixelSize(1080, 1920), PixelSize(720, 1280)])
        #expect(automatic(1920, 800)[0].bitrate == 3_700_000)
    }

    @Test("no rendition exceeds the source's bit rate, and each is clearly below the next larger one")
    func bits() {
        let few = automatic(1920, 1080, bitrate: 1_500_000)
        #expect(few.map(\.name) == ["1080p", "360p", "240p"] && few[0].bitrate == 1_500_000)
        #expect(automatic(1280, 720, bitrate: 90_000).map(\.bitrate) == [375_000, 150_000, 90_000])
        #expect(automatic(1920, 1080, rate: 60)[0].bitrate == 7_070_000)
        #expect(automatic(1920, 1080, codec: .hevc)[0].bitrate == 3_000_000)
    }

    @Test("renditions of a list larger than the source are dropped")
    func list() throws {
        let request = try #require(LadderRequest("480:800k,1080:5M,480:1200k"))
        let video = LadderRenditions.Video(size: PixelSize(1280, 720), rate: 25, bitrate: 0, codec: .h264)
        let ladder = LadderRenditions(request, of: video)
        #expect(ladder.larger.map(\.height) == [1080])
        #expect(ladder.renditions.map(\.name) == ["480p-1200k", "480p-800k"])
        #expect(ladder.renditions.map(\.size) == [PixelSize(854, 480), PixelSize(854, 480)])
    }
}
