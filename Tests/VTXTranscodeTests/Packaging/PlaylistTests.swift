import Testing
import VTXMedia
import VTXTask

@testable import VTXTranscode

@Suite("Playlists of a ladder")
struct PlaylistTests {
    /// Two renditions of 14 seconds, in segments of 6, 6 and 2 with one key frame each; audio and subtitles.
    static let listing = LadderListing(
        videos: [
            LadderListing.Video(
                name: "720p", list: list("720p.mp4", [600_000, 900_000, 100_000]), codec: "avc1.64001f",
                size: PixelSize(1280, 720), frameRate: Rational(30000, 1001), color: .bt709),
            LadderListing.Video(
                name: "360p", list: list("360p.mp4", [150_000, 150_000, 50_000]), codec: "avc1.64001e",
                size: PixelSize(640, 360), frameRate: Rational(30000, 1001), color: .bt709),
        ],
        audio: [
            LadderListing.Audio(
                name: "audio-1", list: list("audio-1.mp4", [75_000, 75_000, 25_000]), codec: "mp4a.40.2",
                channelCount: 2,
                sampleRate: 48000, label: .init(title: "English", language: "en", isDefault: true))
        ],
        subtitles: [
            LadderListing.Subtitles(
                name: "subtitles-1", file: "subtitles-1.vtt", duration: 14, byteCount: 700,
                label: .init(title: "Deutsch \"SDH\"", language: "de", isForced: true))
        ])

    static func list(_ file: String, _ sizes: [Int64]) -> SegmentList {
        var index = FragmentIndex(timescale: 10, header: 0..<1000)
        var offset: Int64 = 1000
        for (number, size) in sizes.enumerated() {
            index.fragments.append(
                .init(
                    bytes: offset..<offset + size, firstSampleEnd: offset + size / 10, start: Int64(number) * 60,
                    duration: number == 2 ? 20 : 60))
            offset += size
        }
        return SegmentList(index, file: file, every: 6)
    }

    @Test("renditions whose segments begin at different times are refused")
    func alignment() throws {
        var videos = Self.listing.videos
        try LadderVerifier.checkAlignment(videos)
        videos[1].list.segments[1].start += 0.04
        #expect { try LadderVerifier.checkAlignment(videos) } throws: {
            ($0 as? TranscodeError)?.kind == .verificationAlignment && "\($0)".contains("begins at 6.0 s")
        }
        videos[1].list.segments.removeLast()
        #expect { try LadderVerifier.checkAlignment(videos) } throws: { "\($0)".contains("has 3 segments, and 360p 2") }
    }

    @Test("thumbnails are on sheets of 25, with positions in WebVTT and DASH")
    func thumbnails() {
        let layout = ThumbnailLayout(of: Self.listing.videos[1])
        #expect(layout.size == PixelSize(160, 90) && layout.times == [0, 6, 12] && layout.step == 1)
        #expect(
            layout.text.hasSuffix(
                "\n00:00:12.000 --> 00:00:14.000\nthumbnails-1.jpg#xywh=320,0,160,90\n"))
        let set = layout.adaptationSet(seconds: 6)
        #expect(set.contains("value=\"5x5\"") && set.contains("width=\"800\" height=\"450\""))
        #expect(set.contains("timescale=\"1000\" duration=\"150000\""))
    }

    @Test("a long video has a thumbnail for several key frames, and each sheet restarts")
    func manyThumbnails() {
        var video = Self.listing.videos[1]
        video.list.keyFrames = (0..<3600).map {
            SegmentList.MediaSegment(bytes: 0..<1, start: Double($0) * 2, duration: 2)
        }
        let layout = ThumbnailLayout(of: video)
        #expect(layout.step == 5 && layout.times.count == 720 && layout.times[26] == 260)
        #expect(layout.text.contains("\n00:04:20.000 --> 00:04:30.000\nthumbnails-2.jpg#xywh=160,0,160,90\n"))
    }

    @Test("the multivariant playlist has each rendition with its selection attributes")
    func multivariant() {
        #expect(
            HLSPlaylists(listing: Self.listing).multivariant == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,\
                CHANNELS="2",URI="audio-1.m3u8"
                #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="Deutsch 'SDH'",LANGUAGE="de",DEFAULT=NO,\
                AUTOSELECT=YES,FORCED=YES,URI="subtitles-1.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=1300000,AVERAGE-BANDWIDTH=1014286,CODECS="avc1.64001f,mp4a.40.2",\
                RESOLUTION=1280x720,VIDEO-RANGE=SDR,FRAME-RATE=29.970,AUDIO="audio",SUBTITLES="subtitles"
                720p.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=300000,AVERAGE-BANDWIDTH=300000,CODECS="avc1.64001e,mp4a.40.2",\
                RESOLUTION=640x360,VIDEO-RANGE=SDR,FRAME-RATE=29.970,AUDIO="audio",SUBTITLES="subtitles"
                360p.m3u8
                #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=120000,AVERAGE-BANDWIDTH=91429,CODECS="avc1.64001f",\
                RESOLUTION=1280x720,VIDEO-RANGE=SDR,URI="720p-iframes.m3u8"
                #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=20000,AVERAGE-BANDWIDTH=20000,CODECS="avc1.64001e",\
                RESOLUTION=640x360,VIDEO-RANGE=SDR,URI="360p-iframes.m3u8"

                """)
    }

    @Test("a media playlist has the segments as ranges of bytes")
    func media() {
        #expect(
            HLSPlaylists(listing: Self.listing).media(Self.listing.videos[1].list) == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-TARGETDURATION:6
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-MAP:URI="360p.mp4",BYTERANGE="1000@0"
                #EXTINF:6.00000,
                #EXT-X-BYTERANGE:150000@1000
                360p.mp4
                #EXTINF:6.00000,
                #EXT-X-BYTERANGE:150000@151000
                360p.mp4
                #EXTINF:2.00000,
                #EXT-X-BYTERANGE:50000@301000
                360p.mp4
                #EXT-X-ENDLIST

                """)
    }

    @Test("an I-frame playlist has the first sample of each fragment with its header")
    func keyFrames() {
        let text = HLSPlaylists(listing: Self.listing).keyFrames(Self.listing.videos[1].list)
        #expect(text.contains("#EXT-X-I-FRAMES-ONLY\n#EXT-X-MAP:URI=\"360p.mp4\",BYTERANGE=\"1000@0\"\n"))
        #expect(text.contains("#EXTINF:6.00000,\n#EXT-X-BYTERANGE:15000@151000\n360p.mp4\n"))
    }

    @Test("subtitles are one segment")
    func subtitles() {
        #expect(
            HLSPlaylists.whole(Self.listing.subtitles[0]) == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-TARGETDURATION:14
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXTINF:14.00000,
                subtitles-1.vtt
                #EXT-X-ENDLIST

                """)
    }

    @Test("all playlists have unique names")
    func names() {
        #expect(
            HLSPlaylists(listing: Self.listing).all.map(\.name) == [
                "master.m3u8", "720p.m3u8", "720p-iframes.m3u8", "360p.m3u8", "360p-iframes.m3u8", "audio-1.m3u8",
                "subtitles-1.m3u8",
            ])
    }

    @Test("both signal HDR")
    func range() {
        var listing = Self.listing
        listing.videos[0].color.transfer = 16
        #expect(HLSPlaylists(listing: listing).multivariant.contains("RESOLUTION=1280x720,VIDEO-RANGE=PQ"))
        #expect(DASHManifest(listing: listing).text.contains("cicp:TransferCharacteristics\" value=\"16\""))
        #expect(!DASHManifest(listing: Self.listing).text.contains("cicp"))
    }

    @Test("the manifest has the same ranges")
    func manifest() {
        let text = DASHManifest(listing: Self.listing).text
        #expect(
            text.contains(
                """
                      <Representation id="360p" codecs="avc1.64001e" bandwidth="200000" width="640" height="360" \
                sar="1:1" frameRate="30000/1001">
                        <BaseURL>360p.mp4</BaseURL>
                        <SegmentList timescale="90000">
                          <Initialization range="0-999"/>
                          <SegmentTimeline>
                            <S t="0" d="540000"/>
                            <S d="540000"/>
                            <S d="180000"/>
                          </SegmentTimeline>
                          <SegmentURL mediaRange="1000-150999"/>
                          <SegmentURL mediaRange="151000-300999"/>
                          <SegmentURL mediaRange="301000-350999"/>
                        </SegmentList>
                      </Representation>

                """))
        #expect(text.contains("mediaPresentationDuration=\"PT14.000S\" minBufferTime=\"PT6S\""))
        #expect(text.contains("contentType=\"text\" mimeType=\"text/vtt\" lang=\"de\""))
    }

    @Test("the manifest has the titles and says for whom a track is")
    func labels() {
        var listing = Self.listing
        listing.audio[0].label.title = "Tom & \"Jerry\"\u{1}<3"
        listing.audio[0].label.isDefault = false
        listing.audio[0].label.isForVisuallyImpaired = true
        listing.subtitles[0].label.isForced = false
        listing.subtitles[0].label.isForHearingImpaired = true
        let text = DASHManifest(listing: listing).text
        #expect(
            text.contains(
                """
                      <Label>Tom &amp; &quot;Jerry&quot; &lt;3</Label>
                      <Accessibility schemeIdUri="urn:tva:metadata:cs:AudioPurposeCS:2007" value="1"/>
                      <Role schemeIdUri="urn:mpeg:dash:role:2011" value="description"/>

                """))
        #expect(
            text.contains(
                """
                      <Accessibility schemeIdUri="urn:tva:metadata:cs:AudioPurposeCS:2007" value="2"/>
                      <Role schemeIdUri="urn:mpeg:dash:role:2011" value="caption"/>

                """))
    }
}

@Suite("Segments of a ladder")
struct SegmentListTests {
    private func index(starts: [Int64], end: Int64, sizes: [Int64]? = nil) -> FragmentIndex {
        var index = FragmentIndex(timescale: 1000, header: 0..<100)
        var offset: Int64 = 100
        for (number, start) in starts.enumerated() {
            let size = sizes?[number] ?? 100
            let next = number + 1 < starts.count ? starts[number + 1] : end
            index.fragments.append(
                .init(
                    bytes: offset..<offset + size, firstSampleEnd: offset + 10, start: start, duration: next - start))
            offset += size
        }
        return index
    }

    @Test("begin with the first key frame at a multiple of their length, or after it")
    func boundaries() {
        let steady = SegmentList(index(starts: [0, 2000, 4000, 6000, 8000], end: 9000), file: "a", every: 4)
        #expect(steady.segments.map(\.start) == [0, 4, 8] && steady.segments.map(\.duration) == [4, 4, 1])
        #expect(steady.segments.map(\.bytes) == [100..<300, 300..<500, 500..<600])
        #expect(steady.keyFrames.count == 5 && steady.targetDuration == 4)
        // Late key frames, and an additional one.
        let late = SegmentList(index(starts: [40, 2100, 4100, 4500, 8700], end: 10_000), file: "a", every: 4)
        #expect(late.segments.map(\.start) == [0.04, 4.1, 8.7])
    }

    @Test("audio segments may begin a packet apart from the video's")
    func audio() {
        let list = SegmentList(index(starts: [-21, 5995, 12_011], end: 14_000), file: "a", every: 6)
        #expect(list.segments.count == 3)
    }

    @Test("in a playlist, a track that begins late is in time with the others")
    func late() {
        let list = SegmentList(index(starts: [2000, 6000], end: 8000), file: "a", every: 6)
        #expect(SegmentList.inTime(list.segments).map(\.duration) == [6, 2] && list.targetDuration == 6)
        #expect(list.segments.map(\.start) == [2, 6] && list.segments.map(\.duration) == [4, 2])
    }

    @Test("the peak is of contiguous segments with about the target duration")
    func peak() {
        // 4 s with 100 bytes, 1 s with 500 bytes, 4 s with 100 bytes.
        let list = SegmentList(
            index(starts: [0, 4000, 5000], end: 9000, sizes: [100, 500, 100]), file: "a", every: 0.5)
        #expect(list.segments.count == 3 && list.targetDuration == 4)
        // The short one alone is too short; with a neighbor it counts.
        #expect(list.peakBitrate(target: 4) == 960)
        #expect(list.averageBitrate == Double(700 * 8) / 9)
        let short = SegmentList(index(starts: [0], end: 1000), file: "a", every: 6)
        #expect(short.peakBitrate(target: 6) == 800)
    }
}

@Suite("WebVTT")
struct WebVTTTests {
    @Test("times have hours, and no cue has an empty line in it")
    func cues() {
        #expect(WebVTT.time(3723.25) == "01:02:03.250" && WebVTT.time(0.0004) == "00:00:00.000")
        #expect(WebVTT.cue(from: 1, to: 2.5, "one\n\ntwo\n") == "\n00:00:01.000 --> 00:00:02.500\none\ntwo\n")
        #expect(
            WebVTT.cue(from: 1, to: 2, settings: "line:10% align:start", "one")
                == "\n00:00:01.000 --> 00:00:02.000 line:10% align:start\none\n")
    }
}
