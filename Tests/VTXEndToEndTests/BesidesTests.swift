import Testing
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Rare side data is kept or reported")
struct BesidesTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    struct Extra: Sendable, CustomTestStringConvertible {
        var stream: ExtraStream
        var input: String
        var output: String
        /// The container that would keep it; nil if the output does.
        var alternative: String?
        var testDescription: String { "\(stream.codec): \(input) to \(output)" }

        init(_ stream: ExtraStream, _ input: String, _ output: String, keptBy alternative: String? = nil) {
            self.stream = stream
            self.input = input
            self.output = output
            self.alternative = alternative
        }

        private static func entries(_ first: [UInt8], _ second: [UInt8]) -> [ExtraStream.Entry] {
            [.init(0.1, 0.3, first), .init(0.6, 0.2, second)]
        }
        private static let anything = entries(Array(0..<40), Array(40..<99))
        private static let dvb = ExtraStream("dvb_subtitle") {
            // Composition page and ancillary page (ETSI EN 300 468 6.2.41), and the kind of subtitles.
            $0.extradata = [0, 1, 0, 1, 16]
            // One segment each: sync byte, type, page, length (ETSI EN 300 743 7.2).
            $0.packets = entries([0x0f, 0x10, 0, 1, 0, 2, 5, 0x40], [0x0f, 0x80, 0, 1, 0, 0])
        }
        private static let pgs = ExtraStream("hdmv_pgs_subtitle") {
            // A composition without objects, and the end of the display set.
            let composition: [UInt8] = [0x16, 0, 11, 0, 160, 0, 96, 16, 0, 0, 0x80, 0, 0, 0]
            $0.packets = entries(composition + [0x80, 0, 0], composition + [0x80, 0, 0])
        }
        private static let vobSub = ExtraStream("dvd_subtitle") {
            $0.extradata = Array("size: 160x96\npalette: 000000, ffffff\n".utf8)
            $0.packets = anything
        }
        private static let klv = ExtraStream("klv") { $0.packets = anything }

        static let all = [
            Extra(dvb, "ts", "ts"), Extra(dvb, "ts", "mkv"), Extra(dvb, "mkv", "mkv"),
            Extra(dvb, "ts", "mp4", keptBy: "Matroska"), Extra(dvb, "mkv", "mov", keptBy: "Matroska"),
            Extra(pgs, "mkv", "mkv"), Extra(pgs, "mkv", "mp4", keptBy: "Matroska"),
            Extra(pgs, "mkv", "ts", keptBy: "Matroska"), Extra(vobSub, "mkv", "mkv"), Extra(vobSub, "mkv", "mp4"),
            Extra(vobSub, "mkv", "ts", keptBy: "Matroska"), Extra(klv, "ts", "ts"),
            Extra(klv, "ts", "mp4", keptBy: "MPEG-TS"), Extra(klv, "ts", "mkv", keptBy: "MPEG-TS"),
        ]
    }

    @Test("bitmap subtitles and timed metadata", arguments: Extra.all)
    func streams(test: Extra) throws {
        let (plain, input) = (directory.file("plain.mkv"), directory.file("in.\(test.input)"))
        try MovieRecipe(VideoRecipe(), .ac3).write(to: plain)
        try test.stream.add(to: plain, as: input)
        let output = directory.file("out.\(test.output)")
        let run = try Run.transcode(input, to: output)
        let (before, after) = (try MediaFile(input), try MediaFile(output))
        let source = try #require(before.streams.first { $0.parameters.codecName == test.stream.codec })
        #expect(!before.packets[source.index].isEmpty)
        let found = after.streams.first { $0.parameters.codecName == test.stream.codec }
        #expect((found == nil) == (test.alternative != nil), "\(run.notices)")
        if let alternative = test.alternative {
            let message = run.messages("downgrade.stream").first { $0.contains(test.stream.codec) }
            #expect(message?.contains("\(alternative) would keep it") == true)
        } else if let found {
            #expect(run.notices.isEmpty)
            let (old, new) = (before.packets[source.index], after.packets[found.index])
            #expect(new.filter { $0.bytes.count > 2 }.map(\.bytes) == old.map(\.bytes))
        }
    }

    @Test("a timecode is kept, or reported as lost", arguments: ["mov", "mp4", "mkv", "ts"])
    func timecode(pathExtension: String) throws {
        let (input, output) = (directory.file("in.mov"), directory.file("out.\(pathExtension)"))
        try MovieRecipe(VideoRecipe { $0.metadata = [MetadataEntry("timecode", "01:02:03:04")] }).write(to: input)
        #expect(try MediaFile(input).video?.metadata["timecode"] == "01:02:03:04")
        let run = try Run.transcode(input, to: output)
        let found = try MediaFile(output).video?.metadata["timecode"]
        #expect(found == (pathExtension == "ts" ? nil : "01:02:03:04"))
        let isNamed = run.notices.contains { $0.category == .downgrade && $0.message.contains("timecode") }
        #expect(isNamed == (found == nil), "\(run.notices)")
    }

    /// ITU-T T.35 messages of broadcasters and cameras in the video (H.264 D.1.6, H.265 D.2.6).
    enum Message: String, CaseIterable, Sendable {
        case captions = "ATSC A53 Part 4 Closed Captions"
        case hdr10Plus = "SMPTE2094-40"

        var payload: [UInt8] {
            switch self {
            case .captions:
                // ATSC A/53 Part 4 6.2.3: country, provider, GA94, cc_data with two triplets of CEA-608.
                return [0xb5, 0x00, 0x31] + Array("GA94".utf8)
                    + [0x03, 0xc2, 0xff, 0xfc, 0x94, 0x20, 0xfc, 0xc8, 0xe9, 0xff]
            case .hdr10Plus:
                // SMPTE ST 2094-40: only one window, 400 cd/m2.
                return payload(luminance: 0)
            }
        }

        /// SMPTE ST 2094-40, whose windows begin with the largest red of the picture.
        func payload(luminance: UInt8) -> [UInt8] {
            [0xb5, 0x00, 0x3c, 0x00, 0x01, 0x04, 0x01, 0x40, 0x00, 0x0c, 0x80, luminance]
                + [UInt8](repeating: 0, count: 14)
        }
    }

    @Test("captions and HDR10+ in the video", arguments: Message.allCases, VideoCodec.ofNALUnits)
    func messages(message: Message, codec: VideoCodec) throws {
        let (input, output) = (directory.file("in.h265"), directory.file("out.mkv"))
        try Files.write(try stream(with: message), to: input)
        #expect(try Decoded(input).frames.contains { $0.has(message) })
        let run = try Run.transcode(input, to: output) { $0.codec = codec }
        let isKept = try Decoded(output).frames.contains { $0.has(message) }
        let code = message == .captions ? "downgrade.captions" : "downgrade.hdr10plus"
        #expect(isKept == run.messages(code).isEmpty, "\(run.notices)")
        if message == .captions, codec == .h264 { #expect(isKept) }
    }

    @Test("HDR10+ stays with each frame", arguments: ["out.mp4", "out.mkv", "out.ts"], [1, 2])
    func scenes(name: String, lanes: Int) throws {
        let (stream, input, output) = (directory.file("in.h265"), directory.file("in.mkv"), directory.file(name))
        // Every frame has another luminance.
        try Files.write(
            try self.stream { number in Message.hdr10Plus.payload(luminance: UInt8(truncatingIfNeeded: number)) },
            to: stream)
        _ = try MuxJob(input: stream, output: input).run(Cancellation(), willWrite: { _ in })
        let run = try Run.transcode(input, to: output) {
            ($0.codec, $0.parallelism) = (.hevc, .count(lanes))
        }
        let before = try luminances(of: input)
        #expect(Set(before).count == before.count && before.count > 5)
        #expect(try luminances(of: output) == before)
        #expect(try Decoded(output).frames.allSatisfy { $0.has(.hdr10Plus) })
        #expect(run.messages("downgrade.hdr10plus").isEmpty)
        #expect(run.plan.decisions.contains { $0.subject == "HDR10+" })
    }

    @Test("HDR10+ that begins late, or is not on every frame, stays with its frames", arguments: [0, 1])
    func someScenes(remainder: Int) throws {
        let (stream, input, output) = (directory.file("in.h265"), directory.file("in.mkv"), directory.file("out.mp4"))
        let bytes = try self.stream { number in
            let isThere = remainder == 0 ? number >= 8 : number % 3 == remainder
            return isThere ? Message.hdr10Plus.payload(luminance: UInt8(truncatingIfNeeded: number)) : nil
        }
        try Files.write(bytes, to: stream)
        _ = try MuxJob(input: stream, output: input).run(Cancellation(), willWrite: { _ in })
        let run = try Run.transcode(input, to: output) { $0.codec = .hevc }
        let before = try luminances(of: input)
        #expect(before.contains(nil) && before.contains { $0 != nil })
        #expect(try luminances(of: output) == before)
        #expect(run.messages("downgrade.hdr10plus").isEmpty)
    }

    @Test("HDR10+ is lost if filters may change times, and that is reported")
    func filteredScenes() throws {
        let (stream, input, output) = (directory.file("in.h265"), directory.file("in.mkv"), directory.file("out.mp4"))
        try Files.write(try self.stream(with: .hdr10Plus), to: stream)
        _ = try MuxJob(input: stream, output: input).run(Cancellation(), willWrite: { _ in })
        let run = try Run.transcode(input, to: output) { ($0.codec, $0.filters) = (.hevc, "setpts=PTS+1/TB") }
        #expect(try luminances(of: output).allSatisfy { $0 == nil })
        #expect(run.messages("downgrade.hdr10plus").count == 1)
    }

    /// The luminance in each frame's message, in presentation order.
    private func luminances(of path: String) throws -> [UInt8?] {
        let file = try MediaFile(path)
        let video = try #require(file.video)
        let framing = try NALFraming(extradata: video.parameters.extradata, codec: .hevc)
        let shown = file.packets[video.index].sorted { ($0.pts?.seconds ?? 0) < ($1.pts?.seconds ?? 0) }
        return try shown.map { packet in try luminance(of: packet.bytes, framing) }
    }

    private func luminance(of packet: [UInt8], _ framing: NALFraming) throws -> UInt8? {
        let bytes = packet.span.bytes
        for unit in try framing.units(in: bytes, codec: .hevc) where unit.isSEI {
            let messages = try SEIMessage.messages(in: bytes.extracting(unit.range), codec: .hevc)
            if let found = messages.first(where: { $0.type == .userDataRegistered }) { return found.payload[11] }
        }
        return nil
    }

    /// HEVC with the message before each picture.
    private func stream(with message: Message) throws -> [UInt8] { try stream { _ in message.payload } }

    /// - Parameter payload: the payload of a picture's message, by its number in decoding order.
    private func stream(_ payload: (Int) -> [UInt8]?) throws -> [UInt8] {
        var recipe = VideoRecipe.hevc
        recipe.color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false)
        return try recipe.encode(globalHeader: false).packets.enumerated().flatMap { number, packet in
            guard let payload = payload(number) else { return Array(packet.bytes) }
            // user_data_registered_itu_t_t35, the payload, the trailing bits.
            let rbsp = [4, UInt8(payload.count)] + payload + [0x80]
            let unit = HEVCNALUnitHeader(type: .prefixSEI).bytes + EmulationPrevention.insert(into: rbsp)
            let bytes = packet.bytes.bytes
            let units = AnnexB.units(in: bytes, codec: .hevc)
            return AnnexB.write(units.filter { !$0.isVCL }, of: bytes) + AnnexB.startCode + unit
                + AnnexB.write(units.filter(\.isVCL), of: bytes)
        }
    }

    @Test("Dolby Vision without a base layer is copied or refused, never shown in wrong colors")
    func dolbyVisionAlone() throws {
        let (plain, input, output) = (directory.file("plain.mp4"), directory.file("in.mp4"), directory.file("out.mp4"))
        try MovieRecipe(.hevc).write(to: plain)
        try writeDolbyVision(plain, as: input, profile: 5)
        #expect(Run.failure(input, to: output)?.kind == .inputDolbyVision)
        let run = try Run.transcode(input, to: output) {
            ($0.copiesVideo, $0.preset, $0.codec) = (true, .balanced, nil)
        }
        #expect(run.result.outcome == .completed)
    }

    @Test("the loss of Dolby Vision's metadata is reported")
    func dolbyVision() throws {
        let (plain, input) = (directory.file("plain.mp4"), directory.file("in.mp4"))
        try MovieRecipe(.hevc).write(to: plain)
        try writeDolbyVision(plain, as: input)
        #expect(try MediaFile(input).video?.sideDataKinds.isEmpty == false)
        let run = try Run.transcode(input, to: directory.file("out.mp4")) { $0.codec = .hevc }
        #expect(run.messages("downgrade.dolbyVision").count == 1)
        #expect(try MediaFile(directory.file("out.mp4")).video?.sideDataKinds == [])
    }
}

extension Frame {
    /// libavutil's names for one kind differ between versions.
    fileprivate func has(_ message: BesidesTests.Message) -> Bool {
        sideDataKinds.contains { $0.contains(message.rawValue) }
    }
}
