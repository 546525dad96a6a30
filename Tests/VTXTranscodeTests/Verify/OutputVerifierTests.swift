import VTXSystem
import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("Verifying the output")
struct OutputVerifierTests {
    /// Transcodes a clip of one second, corrupts its packets, and verifies the file.
    private func finding(
        in pathExtension: String = "mkv", with metadata: HDRMetadata = HDRMetadata(),
        spoiled: @escaping SpoilingSink.Spoiler = { packet, _, _ in packet },
        _ keyFrames: KeyFrameInterval? = nil, samples: (inout OutputSamples) throws -> Void = { _ in },
        against change: (inout TranscodePlan) -> Void = { _ in }
    ) throws -> String? {
        let source = try SourceClip(frames: 25) { $0.hdrMetadata = metadata }
        let request = source.request("out.\(pathExtension)") {
            $0.codec = .h264
            $0.preset = .fast
            $0.keyFrameInterval = keyFrames
        }
        let prepared = try TranscodePreparation(request, backends: [SoftwareBackend()]).prepare()
        let ledger = OutputLedger(streams: prepared.plan.streams.count { !$0.isDropped })
        let damage = InputErrorReport()
        let sink = SpoilingSink(try MuxerSink(prepared.plan, path: prepared.plan.output, damage: damage), spoiled)
        let group = ThreadGroup()
        TranscodePipeline(prepared, sink: sink, damage: damage, ledger: ledger).start(in: group)
        try group.wait()
        var sampled = ledger.samples
        try samples(&sampled)
        ledger.note(sampled, of: 0)
        var plan = prepared.plan
        change(&plan)
        return verdict(OutputVerifier(plan: plan, ledger: ledger, path: plan.output))
    }

    private func verdict(_ verifier: OutputVerifier) -> String? {
        do throws(TranscodeError) { try verifier.verify { false } } catch {
            #expect(error.category == .verification)
            return error.code
        }
        return nil
    }

    @Test("finds nothing in a file that matches the plan", arguments: ["mkv", "mp4", "mov", "ts", "h264"])
    func nothing(pathExtension: String) throws { #expect(try finding(in: pathExtension) == nil) }

    @Test("finds a missing frame", arguments: ["mkv", "mp4", "h264"], [1, 12, 24])
    func missingFrame(pathExtension: String, position: Int) throws {
        let found = try finding(in: pathExtension) { packet, stream, count in
            stream == 0 && count == position ? nil : packet
        }
        #expect(found == "verification.frames")
    }

    @Test("finds a frame at another time", arguments: ["mkv", "mp4", "ts"])
    func shiftedFrame(pathExtension: String) throws {
        // The last one, by less than a frame: order and count are unchanged.
        let found = try finding(in: pathExtension) { packet, stream, count in
            if stream == 0, count == 24, let pts = packet.pts {
                packet.pts = pts + MediaTime.rescale(1, from: Rational(1, 100), to: packet.timeBase)
            }
            return packet
        }
        #expect(found == "verification.timestamps")
    }

    @Test("finds frames that cannot be decoded")
    func undecodable() throws {
        let found = try finding { packet, stream, _ in
            stream == 0 ? try packet.replacing(bytes: [UInt8](repeating: 0xff, count: packet.byteCount)) : packet
        }
        #expect(found == "verification.undecodable")
    }

    @Test("finds damage in the last GOP", arguments: ["mkv", "mp4", "ts", "h264"], [20, 21])
    func damaged(pathExtension: String, position: Int) throws {
        let found = try finding(
            in: pathExtension,
            spoiled: { packet, stream, count in
                guard stream == 0, count >= position else { return packet }
                // The slice header is kept.
                let bytes = Array(packet.bytes)
                let noise = bytes.indices.dropFirst(20).map { UInt8(truncatingIfNeeded: $0 * 37 | 1) }
                return try packet.replacing(bytes: bytes.prefix(20) + noise)
            }, KeyFrameInterval(frames: 10))
        // Only a key frame is damaged; otherwise another check fails first.
        let isSeen = position == 20 && ["mkv", "mp4"].contains(pathExtension)
        #expect(isSeen ? found == "verification.damaged" : found != nil)
    }

    @Test("finds frames that differ from the encoded ones", arguments: ["mkv", "mp4", "ts", "h264"])
    func content(pathExtension: String) throws {
        let graph = try FilterGraph(generating: "color=gray:size=128x96,format=yuv420p")
        guard case .unit(let frame) = try graph.receive() else { throw SelfTestFailure("no frame") }
        let gray = try FrameSignature(frame)
        let interval = KeyFrameInterval(frames: 10)
        for (group, frame) in [(0, 0), (0, 7), (1, 0), (1, 4)] {
            let found = try finding(
                in: pathExtension, interval, samples: { $0.groups[group].frames[frame].signature = gray })
            #expect(found == "verification.content")
        }
    }

    @Test("finds truncated and missing audio")
    func audio() throws {
        #expect(
            try finding { packet, stream, count in stream == 1 && count > 20 ? nil : packet } == "verification.duration"
        )
        #expect(try finding(in: "mp4") { packet, stream, _ in stream == 1 ? nil : packet } == "verification.streams")
    }

    @Test("finds an invalid file")
    func unreadable() throws {
        let source = try SourceClip(frames: 25)
        let prepared = try TranscodePreparation(source.request("out.mp4"), backends: [SoftwareBackend()]).prepare()
        try Files.write([UInt8](repeating: 0, count: 1000), to: prepared.plan.output)
        let ledger = OutputLedger(streams: 2)
        #expect(
            verdict(OutputVerifier(plan: prepared.plan, ledger: ledger, path: prepared.plan.output))
                == "verification.unreadable")
    }

    @Test("finds other video parameters than planned")
    func otherPicture() throws {
        #expect(try finding(against: { $0.video.encoder.codec = .hevc }) == "verification.codec")
        #expect(try finding(against: { $0.video.encoder.size = PixelSize(64, 64) }) == "verification.size")
        #expect(try finding(against: { $0.video.encoder.pixelFormat = .p010 }) == "verification.pixelFormat")
        #expect(try finding(against: { $0.video.encoder.color.matrix = 9 }) == "verification.color")
        #expect(try finding(against: { $0.video.encoder.color.primaries = 9 }) == "verification.color")
        #expect(try finding(against: { $0.video.encoder.color.transfer = 16 }) == "verification.color")
        let turned = DisplayMatrix([0, 65536, 0, -65536, 0, 0, 0, 0, 1 << 30])
        #expect(try finding(against: { $0.video.displayMatrix = turned }) == "verification.rotation")
        #expect(try finding(against: { $0.video.encoder.color.isFullRange = true }) == "verification.color")
    }

    @Test("finds HDR10 metadata that is lost or differs from the source's", arguments: ["mkv", "mp4", "mov"])
    func hdrMetadata(pathExtension: String) throws {
        func finding(_ found: HDRMetadata, against wanted: HDRMetadata) throws -> String? {
            try self.finding(in: pathExtension, with: found, against: { $0.video.encoder.hdrMetadata = wanted })
        }
        #expect(try finding(.sample, against: .sample) == nil)
        #expect(try finding(HDRMetadata(), against: .sample) == "verification.hdrMetadata")
        var (display, light) = (HDRMetadata.sample, HDRMetadata.sample)
        display.masteringDisplay?.blue.y += 1
        light.contentLightLevel?.maxFrameAverage += 1
        #expect(try finding(.sample, against: display) == "verification.hdrMetadata")
        #expect(try finding(.sample, against: light) == "verification.hdrMetadata")
        // Containers omit invalid values; that is no loss.
        let unknown = HDRMetadata(contentLightLevel: ContentLightLevel(maxContent: 0, maxFrameAverage: 0))
        #expect(try finding(unknown, against: unknown) == nil)
    }
}
