import Testing

@testable import VTXPlaylist

@Suite("Playlists that a server sends")
struct ServedPlaylistTests {
    private static func part(_ index: Int, _ number: Int) -> LivePlaylist.Part {
        LivePlaylist.Part(name: "a-\(number).\(index).m4s", duration: 0.5, isIndependent: index == 0)
    }

    private static func segment(_ number: Int) -> LivePlaylist.Segment {
        LivePlaylist.Segment(
            name: "a-\(number).m4s", initialization: "a-100.mp4", duration: 2, date: "2026-01-01T00:00:00.000Z")
    }

    /// Segments 100 and 101 of four parts each, and the first parts of 102.
    private static func playlist(parts: Int, hasEnded: Bool = false) -> LivePlaylist {
        var playlist = LivePlaylist(seconds: 2, partSeconds: 0.5, window: 6, sequence: 100)
        for number in 100..<102 {
            for index in 0..<4 { playlist.add(part(index, number), of: segment(number)) }
            _ = playlist.add(segment(number))
        }
        for index in 0..<parts { playlist.add(part(index, 102), of: segment(102)) }
        playlist.hasEnded = hasEnded
        return playlist
    }

    private static func served(parts: Int, hasEnded: Bool = false) throws -> ServedPlaylist {
        try #require(ServedPlaylist(playlist(parts: parts, hasEnded: hasEnded).text, name: "a.m3u8"))
    }

    private func text(_ body: String, name: String = "a.m3u8") -> String? {
        ServedPlaylist("#EXTM3U\n" + body, name: name)?.text
    }

    @Test("adds what the server can do to the tag that the file has, and changes nothing else")
    func serverControl() throws {
        let file = Self.playlist(parts: 2).text
        let served = try Self.served(parts: 2).text
        let hint = "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"a-102.2.m4s\"\n"
        #expect(served.contains("#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.50000\n"))
        #expect(served.replacing("CAN-BLOCK-RELOAD=YES,", with: "") == file + hint)
    }

    @Test("adds the tag if the file has none, and keeps one that says it already")
    func otherServerControl() {
        let (head, segment) = ("#EXT-X-TARGETDURATION:4\n", "#EXTINF:4,\na.ts\n")
        let tag = "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES\n"
        #expect(text(head + segment) == "#EXTM3U\n" + head + tag + segment)
        #expect(text(head + tag + segment) == "#EXTM3U\n" + head + tag + segment)
        #expect(text("#EXT-X-TARGETDURATION:4\r\n#EXTINF:4,\r\na.ts") == "#EXTM3U\n" + head + tag + segment)
    }

    @Test("sends a playlist that has ended as it is, and no other text is a media playlist")
    func others() throws {
        #expect(try Self.served(parts: 0, hasEnded: true).text == Self.playlist(parts: 0, hasEnded: true).text)
        #expect(text("#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n") == nil)
        #expect(ServedPlaylist("#EXT-X-TARGETDURATION:4\n", name: "a.m3u8") == nil)
        #expect(ServedPlaylist("", name: "a.m3u8") == nil)
    }

    @Test(
        "a position is available once the playlist contains it or a later one",
        arguments: [
            (100, nil, .now), (101, nil, .now), (102, nil, .later), (103, nil, .later), (104, nil, .tooFar),
            (0, nil, .now), (101, 0, .now), (101, 3, .now), (102, 0, .now), (102, 1, .now), (102, 2, .later),
            // Six parts are three seconds.
            (102, 7, .later), (102, 8, .tooFar), (103, 0, .later), (103, 7, .later), (104, 0, .tooFar),
            (.max, .max, .tooFar), (102, .max, .tooFar),
        ] as [(Int, Int?, ServedPlaylist.Availability)])
    func availability(segment: Int, part: Int?, expected: ServedPlaylist.Availability) throws {
        #expect(try Self.served(parts: 2).availability(of: .init(segment: segment, part: part)) == expected)
    }

    @Test("the part after the last one of a segment is the first one of the next")
    func partAfterLast() throws {
        let between = try Self.served(parts: 0)
        #expect(between.availability(of: .init(segment: 101, part: 3)) == .now)
        #expect(between.availability(of: .init(segment: 101, part: 4)) == .later)
        #expect(try Self.served(parts: 1).availability(of: .init(segment: 101, part: 4)) == .now)
        #expect(between.availability(of: .init(segment: 100, part: 9)) == .now)
    }

    @Test("every position is available in a playlist that has ended")
    func ended() throws {
        let ended = try Self.served(parts: 0, hasEnded: true)
        #expect(ended.availability(of: .init(segment: 500, part: 3)) == .now)
        #expect(ended.hint == nil)
    }

    @Test("without parts, a part is available with its segment")
    func withoutParts() throws {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:7\n#EXTINF:4,\na.ts\n#EXTINF:4,\nb.ts\n"
        let playlist = try #require(ServedPlaylist(text, name: "a.m3u8"))
        #expect(playlist.availability(of: .init(segment: 8, part: 99)) == .now)
        #expect(playlist.availability(of: .init(segment: 9, part: 99)) == .later)
        #expect(playlist.hint == nil)
        #expect(playlist.targetDuration == 4)
    }

    @Test("the hint is the next part: of the same segment, or the first one of the next")
    func hint() throws {
        #expect(try Self.served(parts: 1).hint == "a-102.1.m4s")
        #expect(try Self.served(parts: 4).hint == "a-102.4.m4s")
        #expect(try Self.served(parts: 0).hint == "a-102.0.m4s")
    }

    @Test("each hint of a recording is the name of the part that follows")
    func hintsComeTrue() throws {
        var playlist = LivePlaylist(seconds: 2, partSeconds: 0.5, window: 3, sequence: 100)
        var hint: String?
        for number in 100..<110 {
            for index in 0..<4 {
                let part = Self.part(index, number)
                #expect(hint == nil || hint == part.name)
                playlist.add(part, of: Self.segment(number))
                if index == 3 { _ = playlist.add(Self.segment(number)) }
                hint = try #require(ServedPlaylist(playlist.text, name: "a.m3u8")?.hint)
            }
        }
    }

    @Test("there is no hint if the names are not those of vtx, or the file has its own")
    func foreignNames() throws {
        let text = Self.playlist(parts: 2).text
        #expect(ServedPlaylist(text, name: "b.m3u8")?.hint == nil)
        #expect(ServedPlaylist(text.replacing("a-102.1.m4s", with: "a-102.5.m4s"), name: "a.m3u8")?.hint == nil)
        let own = text + "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"x.m4s\"\n"
        let served = try #require(ServedPlaylist(own, name: "a.m3u8"))
        #expect(served.hint == nil)
        #expect(served.text.ranges(of: "#EXT-X-PRELOAD-HINT").count == 1)
    }

    @Test("a name with other characters is escaped in the playlist, not in the hint")
    func escapes() throws {
        let text = Self.playlist(parts: 1).text.replacing("a-", with: "caf%C3%A9%20-")
        let served = try #require(ServedPlaylist(text, name: "café .m3u8"))
        #expect(served.hint == "café -102.1.m4s")
        #expect(served.text.hasSuffix("URI=\"caf%C3%A9%20-102.1.m4s\"\n"))
    }

    @Test("attributes are read with and without quotes")
    func attributes() {
        let list = "URI=\"a,b=c\",DURATION=0.5,INDEPENDENT=YES"
        #expect(HLSText.attribute("URI", in: list[...]) == "a,b=c")
        #expect(HLSText.attribute("DURATION", in: list[...]) == "0.5")
        #expect(HLSText.attribute("INDEPENDENT", in: list[...]) == "YES")
        #expect(HLSText.attribute("b", in: list[...]) == nil)
    }
}
