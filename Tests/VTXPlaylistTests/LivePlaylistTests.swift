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

    @Test("a playlist names its segments, with their dates and what a decoder has to know first")
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

    @Test("earlier segments leave the playlist, and their files stay for as long as players may read them")
    func window() {
        var playlist = LivePlaylist(seconds: 4, window: 3, sequence: 100)
        var removed: [[String]] = []
        for number in 100..<110 { removed.append(playlist.add(segment(number))) }
        #expect(playlist.segments.map(\.name) == ["a-107.m4s", "a-108.m4s", "a-109.m4s"])
        #expect(playlist.text.contains("#EXT-X-MEDIA-SEQUENCE:107\n"))
        #expect(removed == Array(repeating: [], count: 7) + [["a-100.m4s"], ["a-101.m4s"], ["a-102.m4s"]])
    }

    @Test("with all segments kept nothing is removed, and the playlist says that it only grows")
    func all() {
        var playlist = LivePlaylist(seconds: 4, window: nil, sequence: 7)
        for number in 0..<50 { #expect(playlist.add(segment(number)).isEmpty) }
        playlist.hasEnded = true
        #expect(playlist.segments.count == 50)
        #expect(playlist.text.contains("#EXT-X-MEDIA-SEQUENCE:7\n#EXT-X-PLAYLIST-TYPE:EVENT\n"))
        #expect(playlist.text.hasSuffix("a-49.m4s\n#EXT-X-ENDLIST\n"))
    }

    @Test("another encoder's segments have an initialization of their own, which goes with the last of them")
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

    @Test("no segment is longer than the target duration, where a camera has paused either")
    func targetDuration() {
        var playlist = LivePlaylist(seconds: 4, window: 3, sequence: 0)
        _ = playlist.add(segment(0, seconds: 4.4))
        #expect(playlist.text.contains("#EXT-X-TARGETDURATION:4\n"))
        _ = playlist.add(segment(1, seconds: 7.6))
        #expect(playlist.text.contains("#EXT-X-TARGETDURATION:8\n"))
    }

    private func part(_ number: Int, _ part: Int, seconds: Double = 0.5) -> LivePlaylist.Part {
        LivePlaylist.Part(name: "a-\(number).\(part).m4s", duration: seconds, isIndependent: part == 0)
    }

    @Test("parts are listed before their segment is whole, and say how far players stay before the end")
    func parts() {
        var playlist = LivePlaylist(seconds: 1, partSeconds: 0.5, window: 3, sequence: 100)
        playlist.begin(segment(100, seconds: 0))
        let entry = "#EXT-X-MAP:URI=\"a-100.mp4\"\n#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z\n"
        let head = """
            #EXTM3U
            #EXT-X-VERSION:7
            #EXT-X-TARGETDURATION:1
            #EXT-X-SERVER-CONTROL:HOLD-BACK=3.00000,PART-HOLD-BACK=1.50000
            #EXT-X-PART-INF:PART-TARGET=0.50000
            #EXT-X-MEDIA-SEQUENCE:100
            #EXT-X-INDEPENDENT-SEGMENTS

            """
        #expect(playlist.text == head)
        playlist.add(part(100, 0))
        let first = "#EXT-X-PART:DURATION=0.50000,URI=\"a-100.0.m4s\",INDEPENDENT=YES\n"
        #expect(playlist.text == head + entry + first)
        playlist.add(part(100, 1))
        let second = "#EXT-X-PART:DURATION=0.50000,URI=\"a-100.1.m4s\"\n"
        #expect(playlist.add(segment(100, seconds: 1)).isEmpty)
        #expect(playlist.text == head + entry + first + second + "#EXTINF:1.00000,\na-100.m4s\n")
    }

    @Test("parts of earlier segments leave the playlist, and later their files go, where all segments stay too")
    func formerParts() {
        for window in [8, nil] {
            var playlist = LivePlaylist(seconds: 1, partSeconds: 0.5, window: window, sequence: 100)
            var removed: [[String]] = []
            for number in 100..<109 {
                playlist.begin(segment(number, seconds: 0))
                for index in 0..<2 { playlist.add(part(number, index)) }
                removed.append(playlist.add(segment(number, seconds: 1)))
            }
            #expect(playlist.text.components("#EXT-X-PART:").count == 7)
            #expect(!playlist.text.contains("a-105.0.m4s") && playlist.text.contains("a-106.0.m4s"))
            let parts = [["a-100.0.m4s", "a-100.1.m4s"], ["a-101.0.m4s", "a-101.1.m4s"]]
            #expect(removed == Array(repeating: [], count: 7) + parts)
        }
    }

    @Test("no part is longer than the playlist says, where a camera has paused either")
    func partTarget() {
        var playlist = LivePlaylist(seconds: 4, partSeconds: 0.5, window: 3, sequence: 0)
        playlist.begin(segment(0, seconds: 0))
        playlist.add(part(0, 0, seconds: 2.25))
        #expect(playlist.text.contains("PART-HOLD-BACK=6.75000\n#EXT-X-PART-INF:PART-TARGET=2.25000\n"))
    }

    @Test("a part ends before a frame that would make it too long, and has one frame at least")
    func partSchedule() {
        var schedule = PartSchedule(length: 100)
        schedule.begin(at: 1000)
        #expect(!schedule.ends(before: 1000, until: 1500))
        #expect(!schedule.ends(before: 1070, until: 1100))
        #expect(schedule.ends(before: 1070, until: 1101))
        #expect(schedule.duration(until: 1070) == 70)
    }

    @Test("a segment begins with the first frame at a multiple of its length, or after it")
    func schedule() {
        var schedule = SegmentSchedule(length: 100)
        let times: [Int64] = [0, 30, 99, 104, 130, 199, 200, 450, 460, 500]
        #expect(times.filter { schedule.begins(at: $0) } == [0, 104, 200, 450, 500])
    }

    @Test("files of an earlier recording are known by their names, and no others are")
    func names() {
        let names = SegmentNames(playlist: "my live.m3u8")
        #expect(names.segment(1_795_590_212) == "my live-1795590212.m4s")
        #expect(names.part(3, of: 1_795_590_212) == "my live-1795590212.3.m4s")
        let earlier = ["my live-1795590211.m4s", "my live-1795590200.mp4", "my live-1795590211.12.m4s"]
        let others = [
            "my live-1795590212.m4s", "my live-1795590213.mp4", "my live-1.m4s", "my live.m3u8", "live-1795590211.m4s",
            "my live-1795590211.mkv", "my live-179559021x.m4s", "my live-.m4s", "my live-1795590211.m4s.m4s",
            "my live-1795590211.1.2.m4s", "my live-1795590211..m4s", "my live-1795590212.0.m4s",
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
}
