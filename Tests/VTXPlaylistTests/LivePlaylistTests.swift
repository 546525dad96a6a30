import Testing

@testable import VTXPlaylist

@Suite("Live playlists")
struct LivePlaylistTests {
    private func segment(
        _ number: Int, initialization: String = "a-100.mp4", seconds: Double = 4
    ) -> LivePlaylist.Segment {
        LivePlaylist.Segment(
            name: "a-\(number).m4s", initialization: initialization, duration: seconds, date: "2026-01-01T00:00:00.000Z"
        )
    }

    @Test("a playlist lists its segments, with their dates and initialization section")
    func text() {
        var playlist = LivePlaylist(seconds: 4, window: 3, sequence: 100)
        _ = playlist.add(segment(100))
        _ = playlist.add(segment(101, seconds: 4.0334))
        let entry = "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z\n"
        #expect(
            playlist.text == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-TARGETDURATION:4
                #EXT-X-MEDIA-SEQUENCE:100
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-MAP:URI="a-100.mp4"
                \(entry)#EXTINF:4.00000,
                a-100.m4s
                \(entry)#EXTINF:4.03340,
                a-101.m4s

                """)
    }

    @Test("earlier segments leave the playlist, and their files stay while players may read them")
    func window() {
        var playlist = LivePlaylist(seconds: 4, window: 3, sequence: 100)
        var removed: [[String]] = []
        for number in 100..<110 { removed.append(playlist.add(segment(number))) }
        #expect(playlist.segments.map(\.name) == ["a-107.m4s", "a-108.m4s", "a-109.m4s"])
        #expect(playlist.text.contains("#EXT-X-MEDIA-SEQUENCE:107\n"))
        #expect(removed == Array(repeating: [], count: 7) + [["a-100.m4s"], ["a-101.m4s"], ["a-102.m4s"]])
    }

    @Test("with all segments kept nothing is removed, and the playlist type is EVENT")
    func all() {
        var playlist = LivePlaylist(seconds: 4, window: nil, sequence: 7)
        for number in 0..<50 { #expect(playlist.add(segment(number)).isEmpty) }
        playlist.hasEnded = true
        #expect(playlist.segments.count == 50)
        #expect(playlist.text.contains("#EXT-X-MEDIA-SEQUENCE:7\n#EXT-X-PLAYLIST-TYPE:EVENT\n"))
        #expect(playlist.text.hasSuffix("a-49.m4s\n#EXT-X-ENDLIST\n"))
    }

    @Test("another encoder's segments have their own initialization section, removed with the last of them")
    func discontinuity() {
        var playlist = LivePlaylist(seconds: 2, window: 3, sequence: 0)
        _ = playlist.add(segment(0))
        var other = segment(1, initialization: "a-101.mp4")
        other.isDiscontinuous = true
        _ = playlist.add(other)
        #expect(playlist.text.contains("a-0.m4s\n#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI=\"a-101.mp4\"\n"))
        var removed: [String] = []
        for number in 2..<9 { removed += playlist.add(segment(number, initialization: "a-101.mp4")) }
        #expect(removed == ["a-0.m4s", "a-100.mp4", "a-1.m4s"])
        #expect(playlist.text.contains("#EXT-X-DISCONTINUITY-SEQUENCE:1\n"))
        #expect(playlist.text.components("#EXT-X-MAP").count == 2)
    }

    @Test("no segment exceeds the target duration, even after a pause of the camera")
    func targetDuration() {
        var playlist = LivePlaylist(seconds: 4, window: 3, sequence: 0)
        _ = playlist.add(segment(0, seconds: 4.4))
        #expect(playlist.text.contains("#EXT-X-TARGETDURATION:4\n"))
        _ = playlist.add(segment(1, seconds: 7.6))
        #expect(playlist.text.contains("#EXT-X-TARGETDURATION:8\n"))
    }

    private func parts(_ number: Int) -> [LivePlaylist.Part] {
        (0..<2).map { .init(name: "a-\(number).\($0).m4s", duration: 0.5, isIndependent: $0 == 0) }
    }

    @Test("parts are listed before their segment is complete, with the hold-back")
    func partLines() {
        var playlist = LivePlaylist(seconds: 1, partSeconds: 0.5, window: 3, sequence: 0)
        for part in parts(0) { playlist.add(part, of: segment(0)) }
        let head = "#EXT-X-SERVER-CONTROL:PART-HOLD-BACK=1.50000\n#EXT-X-PART-INF:PART-TARGET=0.50000\n"
        let opening = "#EXT-X-MAP:URI=\"a-100.mp4\"\n#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z\n"
        let lines =
            "#EXT-X-PART:DURATION=0.50000,URI=\"a-0.0.m4s\",INDEPENDENT=YES\n"
            + "#EXT-X-PART:DURATION=0.50000,URI=\"a-0.1.m4s\"\n"
        #expect(playlist.text.contains(head) && playlist.text.hasSuffix(opening + lines))
        _ = playlist.add(segment(0, seconds: 1))
        #expect(playlist.text.hasSuffix(opening + lines + "#EXTINF:1.00000,\na-0.m4s\n"))
        playlist.add(.init(name: "a-1.0.m4s", duration: 0.7, isIndependent: true), of: segment(1))
        #expect(playlist.text.contains("PART-HOLD-BACK=2.10000\n#EXT-X-PART-INF:PART-TARGET=0.70000\n"))
    }

    @Test("parts of the last three segments are listed, and earlier files are removed when no player can read them")
    func formerParts() {
        var playlist = LivePlaylist(seconds: 1, partSeconds: 0.5, window: 10, sequence: 0)
        var removed: [String] = []
        for number in 0..<9 {
            for part in parts(number) { playlist.add(part, of: segment(number)) }
            removed += playlist.add(segment(number, seconds: 1))
        }
        #expect(removed == ["a-0.0.m4s", "a-0.1.m4s", "a-1.0.m4s", "a-1.1.m4s"])
        #expect(playlist.text.components("#EXT-X-PART:").count == 7 && playlist.text.contains("a-6.0.m4s"))
        playlist.hasEnded = true
        #expect(!playlist.text.contains("#EXT-X-PART:"))
    }

    @Test("a segment begins with the first frame at a multiple of its length, or after it")
    func schedule() {
        var schedule = SegmentSchedule(length: 100)
        let times: [Int64] = [0, 30, 99, 104, 130, 199, 200, 450, 460, 500]
        #expect(times.filter { schedule.begins(at: $0) } == [0, 104, 200, 450, 500])
    }

    @Test("only files of an earlier recording are recognized by their names")
    func names() {
        let names = SegmentNames(playlist: "my live.m3u8")
        #expect(names.segment(1_795_590_212) == "my live-1795590212.m4s")
        let earlier = ["my live-1795590211.m4s", "my live-1795590200.mp4", "my live-1795590211.3.m4s"]
        let others = [
            "my live-1795590212.m4s", "my live-1795590213.mp4", "my live-1.m4s", "my live.m3u8", "live-1795590211.m4s",
            "my live-1795590211.mkv", "my live-179559021x.m4s", "my live-.m4s", "my live-1795590211.m4s.m4s",
            "my live-1795590212.0.m4s", "my live-1795590211.x.m4s", "my live-1795590211..m4s",
        ]
        #expect((earlier + others).filter { names.isEarlier($0, than: 1_795_590_212) } == earlier)
    }

    @Test("names are URIs in a playlist")
    func uris() {
        #expect(HLSText.uri("my live-1.m4s") == "my%20live-1.m4s")
        #expect(HLSText.uri("ä#?%\n.m4s") == "%C3%A4%23%3F%25%0A.m4s")
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }

    @Test("a multivariant playlist has the stream's attributes, except unknown ones")
    func variant() {
        var variant = HLSVariant(
            name: "my out.m3u8", codecs: ["avc1.64001f", "mp4a.40.2"], resolution: "1280x720", videoRange: "SDR",
            frameRate: 29.97)
        (variant.peak, variant.average) = (2_000_000, 1_500_000)
        #expect(
            variant.playlist == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-STREAM-INF:BANDWIDTH=2000000,AVERAGE-BANDWIDTH=1500000,CODECS="avc1.64001f,mp4a.40.2",\
                RESOLUTION=1280x720,VIDEO-RANGE=SDR,FRAME-RATE=29.970
                my%20out.m3u8

                """)
        (variant.codecs, variant.frameRate, variant.groups) = ([], nil, [("AUDIO", "audio")])
        #expect(variant.text.contains("=1500000,RESOLUTION=1280x720,VIDEO-RANGE=SDR,AUDIO=\"audio\"\n"))
    }
}
