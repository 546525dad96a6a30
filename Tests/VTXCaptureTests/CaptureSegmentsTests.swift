import Glibc
import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXCapture

@Suite("Live playlists of a recording")
struct CaptureSegmentsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var playlist: String { TextFile.read(directory.file("out.m3u8")) ?? "" }
    private var listed: [String] { playlist.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init) }
    private var files: [String] { directory.names.filter { !$0.hasPrefix(".") }.sorted() }

    /// Frames of a tenth of a second each, with a key frame in every second, to a playlist.
    private func record(
        frames: Int, _ settings: LivePlaylistRequest, replaces: Bool = false, second: Int64 = 1_700_000_000,
        changingAt change: Int = .max, onFrame: (Int) throws -> Void = { _ in }
    ) throws {
        let output = try CaptureSegments(directory.file("out.m3u8"), settings, replaces: replaces) { second * 1000 }
        defer { try? output.finish() }
        for number in 0..<frames {
            let profile: VideoProfile = number < change ? .high : .baseline
            try output.write(try packets(profile)[number % 10].at(Int64(number) * 9000))
            try onFrame(number)
        }
        try output.finish()
    }

    private func packets(_ profile: VideoProfile) throws -> [CapturePacket] {
        try (profile == .high ? Self.high : Self.baseline).get()
    }

    private static let high = Result { try encode(.high) }
    private static let baseline = Result { try encode(.baseline) }

    private static func encode(_ profile: VideoProfile) throws -> [CapturePacket] {
        let camera = FakeCamera((0..<10).map { .picture(Double($0) / 10) })
        let encoder = try SoftwareEncoders(profile: profile).open(camera.format, usesGlobalHeader: true)
        let decoder = try CaptureDecoder(camera.format)
        var packets: [CapturePacket] = []
        for number in 0..<10 {
            guard let picture = try camera.next(within: 1),
                let frame = decoder.frames(of: CaptureReader.Item(picture: picture, ticks: Int64(number) * 9000)).first
            else { break }
            try encoder.encoder.send(frame, forcesKeyFrame: number == 0)
            guard case .unit(let packet) = try encoder.encoder.receive() else { break }
            packets.append(
                CapturePacket(
                    packet: packet, parameters: encoder.encoder.parameters,
                    format: CaptureStreamFormat(
                        codec: .h264, frameRate: 10, color: .bt709, usesGlobalHeader: true)))
        }
        return packets
    }

    private func settings(_ seconds: Int, window: Int = 3, keepsAll: Bool = false) -> LivePlaylistRequest {
        var settings = LivePlaylistRequest()
        (settings.segmentSeconds, settings.window, settings.keepsAll) = (seconds, window, keepsAll)
        return settings
    }

    @Test("each listed segment is complete, and together they are the recording")
    func segments() throws {
        var counts: [Int] = []
        try record(frames: 75, settings(2, keepsAll: true)) { _ in
            counts.append(listed.count)
            #expect(listed.allSatisfy { FileStatus(directory.file($0)) != nil })
        }
        #expect(counts.last == 3 && listed == (0..<4).map { "out-\(1_700_000_000 + $0).m4s" })
        #expect(playlist.contains("#EXTINF:2.00000,") && playlist.hasSuffix("#EXT-X-ENDLIST\n"))
        let second = "#EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:22.000Z\n#EXTINF:2.00000,\nout-1700000001"
        #expect(playlist.contains(second))
        let bytes = try (["out-1700000000.mp4"] + listed).flatMap { try Files.read(directory.file($0)) }
        try Files.write(bytes, to: directory.file("all.mp4"))
        let times = try MediaFile(directory.file("all.mp4")).times(.video).sorted()
        #expect(times.count == 75 && abs((times.last ?? 0) - 7.4) < 0.001)
        #expect(try Decoded(directory.file("all.mp4")).frames.count == 75)
    }

    private var multivariant: String { TextFile.read(directory.file("out-master.m3u8")) ?? "" }

    /// `BANDWIDTH` and `AVERAGE-BANDWIDTH`.
    private var bandwidths: [Int] {
        ["BANDWIDTH=", "AVERAGE-BANDWIDTH="].compactMap { name in
            multivariant.split(whereSeparator: { ":,\n".contains($0) }).first { $0.hasPrefix(name) }
                .flatMap { Int($0.dropFirst(name.count)) }
        }
    }

    @Test("once the first segment is complete, a multivariant playlist has codec, size and rates")
    func multivariantPlaylist() throws {
        var texts: [String] = []
        try record(frames: 65, settings(2, keepsAll: true)) { _ in
            #expect(multivariant.isEmpty == listed.isEmpty)
            if texts.last != multivariant { texts.append(multivariant) }
        }
        // All segments are alike: the first one's attributes apply to the others.
        #expect(texts.count == 2 && texts.last != multivariant)
        let size = FakeCamera([]).format.size
        #expect(multivariant.contains("CODECS=\"avc1.64"))
        #expect(multivariant.contains("RESOLUTION=\(size),VIDEO-RANGE=SDR,FRAME-RATE=10.000\nout.m3u8\n"))
        let bits = try listed.map { Double(try Files.read(directory.file($0)).count) * 8 }
        // The last segment is shorter than half of the others.
        #expect(bandwidths[0] == Int((bits[0..<3].map { $0 / 2 }.max() ?? 0).rounded(.up)))
        #expect(abs(Double(bandwidths[1]) - bits.reduce(0, +) / 6.5) < 2)
    }

    @Test("the multivariant playlist exists with the first part, and is updated for another encoding")
    func multivariantOfParts() throws {
        var settings = settings(2, keepsAll: true)
        settings.partMilliseconds = 500
        var first: Int?
        try record(frames: 40, settings, changingAt: 20) { number in
            if first == nil, !multivariant.isEmpty { first = number }
            #expect(multivariant.contains("avc1.42") == (number > 27) || (20...27).contains(number))
        }
        #expect(first.map { $0 < 10 } == true && multivariant.contains("avc1.42"))
    }

    @Test("a file with the multivariant playlist's name is kept, unless it may be replaced")
    func multivariantIsThere() throws {
        try Files.write(Array("mine".utf8), to: directory.file("out-master.m3u8"))
        let error = #expect(throws: TranscodeError.self) { try record(frames: 10, settings(1)) }
        #expect(error?.kind == .outputExists && multivariant == "mine" && files == ["out-master.m3u8"])
        try record(frames: 20, settings(1), replaces: true)
        #expect(multivariant.hasPrefix("#EXTM3U"))
    }

    @Test("listed parts exist, and joined they are the segment")
    func parts() throws {
        var settings = settings(1)
        settings.partMilliseconds = 300
        var seen: [String: [String]] = [:]
        try record(frames: 35, settings) { number in
            let names = partNames
            #expect(names.allSatisfy { FileStatus(directory.file($0)) != nil })
            for name in names { seen[String(name.prefix(14)), default: []].append(name) }
            // The fourteenth frame completes the part with the three frames before it.
            if number == 14 {
                #expect(names.last == "out-1700000001.0.m4s")
                let independent = playlist.split(separator: "\n").filter { $0.hasSuffix(",INDEPENDENT=YES") }
                #expect(independent.count == 2 && independent.allSatisfy { $0.contains(".0.m4s") })
            }
        }
        #expect(seen.count == 4 && partNames.isEmpty && playlist.hasSuffix("#EXT-X-ENDLIST\n"))
        for second in 0..<3 {
            let whole = try Files.read(directory.file("out-\(1_700_000_000 + second).m4s"))
            let parts = try (0..<4).flatMap {
                try Files.read(directory.file("out-\(1_700_000_000 + second).\($0).m4s"))
            }
            #expect(parts == whole)
        }
    }

    private var partNames: [String] {
        playlist.split(separator: "\n").filter { $0.hasPrefix("#EXT-X-PART:") }
            .compactMap { $0.split(separator: "\"").dropFirst().first.map(String.init) }
    }

    @Test("files that no player can read any more are removed")
    func window() throws {
        try record(frames: 120, settings(1))
        // Three are listed, and four more are kept for players with an earlier playlist.
        #expect(listed == (9..<12).map { "out-\(1_700_000_000 + $0).m4s" })
        #expect(
            files == ["out-1700000000.mp4"] + (5..<12).map { "out-\(1_700_000_000 + $0).m4s" }
                + ["out-master.m3u8", "out.m3u8"])
    }

    @Test("a replacement encoder begins a segment with its own initialization section")
    func replacement() throws {
        try record(frames: 40, settings(4, keepsAll: true), changingAt: 20)
        #expect(listed.count == 2 && playlist.contains("#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI=\"out-1700000001.mp4\"\n"))
        let first = try ["out-1700000000.mp4", listed[0]].flatMap { try Files.read(directory.file($0)) }
        let second = try ["out-1700000001.mp4", listed[1]].flatMap { try Files.read(directory.file($0)) }
        for bytes in [first, second] {
            try Files.write(bytes, to: directory.file("part.mp4"))
            #expect(try Decoded(directory.file("part.mp4")).frames.count == 20)
        }
    }

    @Test("a recording that replaces another continues in players, and leaves nothing of it")
    func replacing() throws {
        try record(frames: 25, settings(1))
        #expect(throws: TranscodeError.self) { try record(frames: 1, settings(1)) }
        let before = playlist
        try record(frames: 15, settings(1), replaces: true, second: 1_700_000_100) { number in
            if number < 10 { #expect(playlist == before) }
        }
        let beginning = "#EXT-X-MEDIA-SEQUENCE:1700000100\n#EXT-X-INDEPENDENT-SEGMENTS\n#EXT-X-DISCONTINUITY\n"
        #expect(playlist.contains(beginning))
        #expect(
            files == [
                "out-1700000100.m4s", "out-1700000100.mp4", "out-1700000101.m4s", "out-master.m3u8", "out.m3u8",
            ])
        #expect(directory.names.count == 5)
    }

    @Test("without a frame, nothing is left")
    func nothing() throws {
        try record(frames: 0, settings(1))
        #expect(directory.names.isEmpty)
    }

    @Test("a playlist that another recording writes is busy; a missing or removed directory is an error")
    func errors() throws {
        let output = try CaptureSegments(directory.file("out.m3u8"), settings(1), replaces: false)
        let busy = #expect(throws: TranscodeError.self) {
            _ = try CaptureSegments(directory.file("out.m3u8"), settings(1), replaces: true)
        }
        #expect(busy?.kind == .outputBusy)
        try output.finish()
        let missing = #expect(throws: TranscodeError.self) {
            _ = try CaptureSegments(directory.file("none/out.m3u8"), settings(1), replaces: true)
        }
        #expect(missing?.kind == .outputNotFound)
        let lost = #expect(throws: TranscodeError.self) {
            try record(frames: 30, settings(1)) { if $0 == 15 { Directory.removeTree(directory.path) } }
        }
        #expect(lost?.kind == .outputNotFound)
    }
}

extension CapturePacket {
    /// A reference with other times.
    fileprivate func at(_ ticks: Int64) throws -> CapturePacket {
        var copy = self
        copy.packet = try packet.reference()
        (copy.packet.pts, copy.packet.dts, copy.packet.duration) = (ticks, ticks, 9000)
        return copy
    }
}
