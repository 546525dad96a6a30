import Testing
import VTXMedia

@testable import VTXTranscode

@Suite("Playlists of a ladder with surround audio")
struct SurroundPlaylistTests {
    /// Stereo and surround of one stream in two codecs, and another language in stereo only.
    private static let surround: LadderListing = {
        var listing = PlaylistTests.listing
        func add(_ codec: String, _ channels: Int, _ title: String, _ size: Int64, source: Int) {
            let name = "audio-\(listing.audio.count + 1)"
            listing.audio.append(
                LadderListing.Audio(
                    name: name, list: PlaylistTests.list("\(name).mp4", [size, size, size / 3]), codec: codec,
                    channelCount: channels, sampleRate: 48000, label: .init(title: title), source: source))
        }
        listing.audio = []
        add("mp4a.40.2", 2, "Main", 75_000, source: 1)
        add("mp4a.40.2", 6, "Main", 300_000, source: 1)
        add("ec-3", 6, "Main", 150_000, source: 1)
        add("mp4a.40.2", 2, "", 75_000, source: 2)
        listing.labelAudio()
        return listing
    }()

    @Test("stereo and surround of a stream have the same label; other streams have their own")
    func audioLabels() {
        #expect(Self.surround.audio.map(\.label.title) == ["Main", "Main", "Main", "Audio 2"])
        #expect(Self.surround.audio.map(\.label.isDefault) == [true, true, true, false])
    }

    @Test("surround is a group for each codec, with the members of the stereo group")
    func audioGroups() {
        let groups = Self.surround.audioGroups
        #expect(groups.map(\.id) == ["audio", "surround", "surround-2"])
        #expect(
            groups.map { $0.renditions.map(\.name) } == [
                ["audio-1", "audio-4"], ["audio-2", "audio-4"], ["audio-3", "audio-4"],
            ])
        #expect(groups.map { $0.renditions.map(\.label.title) } == Array(repeating: ["Main", "Audio 2"], count: 3))
        #expect(groups.map(\.codecs) == [["mp4a.40.2"], ["mp4a.40.2"], ["ec-3", "mp4a.40.2"]])
        var silent = PlaylistTests.listing
        silent.audio = []
        #expect(silent.audioGroups.isEmpty && !HLSPlaylists(listing: silent).multivariant.contains("AUDIO"))
    }

    @Test("each rendition has a variant with stereo first, then one with each surround group")
    func surroundVariants() {
        let text = HLSPlaylists(listing: Self.surround).multivariant
        let lines = text.split(separator: "\n")
        #expect(
            lines.filter { $0.hasSuffix("p.m3u8") } == [
                "720p.m3u8", "360p.m3u8", "720p.m3u8", "360p.m3u8", "720p.m3u8", "360p.m3u8",
            ])
        #expect(text.contains("GROUP-ID=\"surround\",NAME=\"Main\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"6\""))
        let variants = lines.filter { $0.hasPrefix("#EXT-X-STREAM-INF") && $0.contains("640x360") }
        #expect(variants.count == 3 && variants[2].contains("CODECS=\"avc1.64001e,ec-3,mp4a.40.2\""))
        #expect(variants[2].contains("AUDIO=\"surround-2\""))
        // 150 kB of video in six seconds, and 75, 300 and 150 kB of audio.
        #expect(zip(variants, [300, 600, 400]).allSatisfy { $0.contains(":BANDWIDTH=\($1)000,") })
    }

    @Test("the manifest has a set for stereo and one for surround, both of the main content")
    func surroundManifest() {
        let sets = DASHManifest(listing: Self.surround).text.split(separator: "<AdaptationSet contentType=\"audio\"")
        #expect(sets.count == 5)
        #expect(sets[1...3].allSatisfy { $0.contains("value=\"main\"") } && sets[4].contains("value=\"alternate\""))
        #expect(sets[1].contains("configuration:2011\" value=\"2\"") && sets[2].contains("2011\" value=\"6\""))
    }
}
