import Testing
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Dolby Vision's metadata of each frame, from HEVC to HEVC")
struct DolbyVisionTests {
    private let directory: TemporaryDirectory
    private let input: String

    init() throws {
        directory = try TemporaryDirectory()
        input = directory.file("in.mp4")
        let (stream, plain) = (directory.file("in.h265"), directory.file("plain.mp4"))
        try Files.write(try Self.stream(), to: stream)
        _ = try MuxJob(input: stream, output: plain).run(Cancellation(), willWrite: { _ in })
        try writeDolbyVision(plain, as: input)
    }

    @Test("it stays with its frame, and the container signals it", arguments: ["out.mp4", "out.mkv"], [1, 2])
    func kept(name: String, lanes: Int) throws {
        let output = directory.file(name)
        let run = try Run.transcode(input, to: output) { ($0.codec, $0.parallelism) = (.hevc, .count(lanes)) }
        let before = try units(of: input)
        #expect(before.count > 5 && Set(before).count == before.count && !before.contains(nil))
        #expect(try units(of: output) == before)
        #expect(try Decoded(output).frames.allSatisfy { $0.sideDataKinds.contains("Dolby Vision RPU Data") })
        let video = try #require(try MediaFile(output).video)
        #expect(video.dolbyVision?.name == "8.1" && video.dolbyVision?.level == 1)
        #expect(run.messages("downgrade.dolbyVision").isEmpty)
        #expect(run.plan.decisions.contains { $0.subject == "Dolby Vision" })
    }

    @Test("a cut of the source keeps that of its frames")
    func range() throws {
        let output = directory.file("out.mp4")
        _ = try Run.transcode(input, to: output) { ($0.codec, $0.start) = (.hevc, 0.2) }
        let (before, after) = (try units(of: input), try units(of: output))
        #expect(!after.isEmpty && after.count < before.count && after == before.suffix(after.count))
    }

    @Test(
        "it is lost if frames change or the output does not support it, and that is reported", arguments: Loss.allCases)
    func lost(loss: Loss) throws {
        let output = directory.file("out.\(loss == .mov ? "mov" : loss == .ts ? "ts" : "mp4")")
        let run = try Run.transcode(input, to: output) {
            $0.codec = .hevc
            loss.apply(to: &$0)
        }
        #expect(run.messages("downgrade.dolbyVision").count == 1, "\(run.notices)")
        #expect(try MediaFile(output).video?.dolbyVision == nil)
        #expect(try Decoded(output).frames.allSatisfy { !$0.sideDataKinds.contains(where: \.isDolbyVision) })
    }

    enum Loss: CaseIterable, Sendable {
        case size
        case filters
        case deinterlacing
        case codec
        case bits
        case mov
        case ts

        func apply(to request: inout TranscodeRequest) {
            switch self {
            case .size: request.size = SizeRequest(96, 96)
            case .filters: request.filters = "eq=brightness=0.1"
            case .deinterlacing: request.deinterlace = .on
            case .codec: request.codec = .h264
            case .bits: request.profile = .hevcMain
            case .mov, .ts: break
            }
        }
    }

    /// Each frame's unit, in presentation order.
    private func units(of path: String) throws -> [[UInt8]?] {
        let file = try MediaFile(path)
        let video = try #require(file.video)
        let framing = try NALFraming(extradata: video.parameters.extradata, codec: .hevc)
        let shown = file.packets[video.index].sorted { ($0.pts?.seconds ?? 0) < ($1.pts?.seconds ?? 0) }
        return try shown.map { packet in
            let bytes = packet.bytes.span.bytes
            let last = try framing.units(in: bytes, codec: .hevc).last
            return last?.hevcType == .dolbyVisionRPU ? last.map { bytes.copy($0.range) } : nil
        }
    }

    /// HEVC whose pictures each end with a unit with another luminance.
    private static func stream() throws -> [UInt8] {
        try VideoRecipe.hdr10.encode(globalHeader: false).packets.enumerated().flatMap { number, packet in
            packet.bytes + AnnexB.startCode + unit(UInt64(number))
        }
    }

    /// An identity mapping, in the form that libavcodec reads (`ff_dovi_rpu_parse`).
    private static func unit(_ luminance: UInt64) -> [UInt8] {
        var bits = BitWriter()
        // Type, format, profile, level; no filter, fixed-point coefficients of 23 bits; ten bits, no residual.
        for (width, value) in [(6, 2), (11, 18), (4, 1), (4, 0), (1, 1), (1, 0), (2, 0)] {
            bits.u(width, UInt64(value))
        }
        bits.ue(23)
        bits.u(3, 2)
        for depth in [2, 2, 4] { bits.ue(UInt32(depth)) }
        // Then: display metadata is present, and the previous picture's mapping is not used.
        bits.u(6, 1)
        bits.u(2, 2)
        for _ in 0..<3 { bits.ue(0) }
        for _ in 0..<3 {
            bits.ue(0)
            bits.u(20, 1023)
        }
        for _ in 0..<2 { bits.ue(0) }
        for _ in 0..<3 {
            // A polynomial: 0 + 1 x.
            for _ in 0..<2 { bits.ue(0) }
            bits.flag(false)
            bits.se(0)
            bits.u(23, 0)
            bits.se(1)
            bits.u(23, 0)
        }
        for value in [0, 0, 1] { bits.ue(UInt32(value)) }
        // Matrices and transfer functions, then the darkest and the brightest sample.
        for _ in 0..<9 { bits.u(16, 8192) }
        for _ in 0..<3 { bits.u(32, 0) }
        for _ in 0..<9 { bits.u(16, 8192) }
        for (width, value) in [(16, 65535), (16, 0), (16, 0), (32, 0), (5, 10), (6, 0), (12, 62)] {
            bits.u(width, UInt64(value))
        }
        bits.u(12, luminance)
        bits.u(10, 42)
        bits.ue(0)
        while bits.count % 8 != 0 { bits.flag(false) }
        let rbsp = [25] + bits.bytes + [0, 0, 0, 0, 0x80]
        return HEVCNALUnitHeader(type: .dolbyVisionRPU).bytes + EmulationPrevention.insert(into: rbsp)
    }
}

extension String {
    fileprivate var isDolbyVision: Bool { contains("Dolby Vision") }
}
