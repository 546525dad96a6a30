import Testing
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

/// An encoder's byte stream, with four-byte start codes.
enum ByteStreamRecipe: String, Sendable, CaseIterable {
    case h264, h264Repeating, h264Delimited, h264OpenGOP, h264Interlaced, hevc, hevcRepeating, hevcOpenGOP

    var codec: NALCodec { rawValue.hasPrefix("h264") ? .h264 : .hevc }

    private var options: String {
        switch self {
        case .h264: "bframes=3:b-pyramid=normal:keyint=250"
        case .h264Repeating: "bframes=2:keyint=8:min-keyint=8"
        case .h264Delimited: "aud=1:keyint=250:slices=3"
        case .h264OpenGOP: "open-gop=1:keyint=6:min-keyint=6:bframes=2:scenecut=0"
        case .h264Interlaced: "interlaced=1:bframes=1:keyint=250"
        case .hevc: "bframes=4"
        case .hevcRepeating: "repeat-headers=1:keyint=8:min-keyint=8:open-gop=0"
        case .hevcOpenGOP: "open-gop=1:keyint=6:min-keyint=6:bframes=2:scenecut=0"
        }
    }

    func encoded() throws -> EncodedStream {
        try VideoRecipe {
            $0.encoder = codec == .h264 ? "libx264" : "libx265"
            $0.frameCount = 30
            $0.keyFrameInterval = 250
            $0.options =
                codec == .h264
                ? [("preset", "veryfast"), ("x264-params", options)]
                : [("preset", "ultrafast"), ("x265-params", "log-level=error:pools=none:frame-threads=1:" + options)]
        }.encode(globalHeader: false)
    }

    /// The stream's units, each after a four-byte start code, and its presentation times.
    func make() throws -> (bytes: [UInt8], times: [Int64]) {
        let stream = try encoded()
        let bytes = stream.packets.flatMap { packet in
            let bytes = Array(packet.bytes)
            return AnnexB.write(AnnexB.units(in: bytes.span.bytes, codec: codec), of: bytes.span.bytes)
        }
        return (bytes, stream.packets.map { $0.pts ?? 0 })
    }
}

@Suite("Into a container and out again", .serialized)
struct RoundTripTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func write(_ bytes: [UInt8], _ codec: NALCodec) throws -> String {
        let path = directory.file(codec == .h264 ? "in.h264" : "in.h265")
        try Files.write(bytes, to: path)
        return path
    }

    private func mux(_ input: String, _ name: String, rate: Rational? = Rational(25, 1)) throws -> String {
        var job = MuxJob(input: input, output: directory.file(name))
        job.frameRate = rate
        _ = try job.run(Cancellation())
        return job.output
    }

    private func extract(_ input: String, _ change: (inout ExtractJob) -> Void = { _ in }) throws -> [UInt8] {
        var job = ExtractJob(input: input)
        job.overwrite = .replace
        change(&job)
        return try Files.read(try job.run(Cancellation()).output)
    }

    @Test("every byte is kept", arguments: ByteStreamRecipe.allCases, ["mp4", "mov", "mkv", "ts"])
    func roundTrip(recipe: ByteStreamRecipe, pathExtension: String) throws {
        let (bytes, times) = try recipe.make()
        let muxed = try mux(try write(bytes, recipe.codec), "out.\(pathExtension)")
        // MPEG-TS always has delimiters.
        let drops = pathExtension == "ts" && recipe != .h264Delimited
        #expect(try extract(muxed) { $0.dropsDelimiters = drops } == bytes)
        // The encoder's times: 25 frames per second.
        let packets = try MediaFile(muxed).packets(.video)
        let shown = packets.compactMap { $0.pts?.seconds }
        #expect(shown.count == times.count)
        let (first, start) = (times.min() ?? 0, shown.min() ?? 0)
        for (time, seconds) in zip(times, shown) {
            #expect(abs(Double(time - first) / 25 - (seconds - start)) < 0.001)
        }
        #expect(packets.allSatisfy { ($0.dts?.seconds ?? -1) <= ($0.pts?.seconds ?? 0) })
        #expect(pathExtension == "ts" || start == 0)
    }

    @Test("a rotation, which a byte stream cannot signal, is reported")
    func rotation() throws {
        var job = ExtractJob(input: directory.file("turned.mp4"))
        try MovieRecipe(VideoRecipe { $0.displayMatrix = .turning(.rotated90) }).write(to: job.input)
        job.output = directory.file("turned.h264")
        let result = try job.run(Cancellation())
        #expect(result.outcome == .completed && result.notices.map(\.code) == ["downgrade.rotation"])
    }

    @Test("parameter sets are placed without loss", arguments: ByteStreamRecipe.allCases)
    func sampleEntries(recipe: ByteStreamRecipe) throws {
        let (bytes, _) = try recipe.make()
        let muxed = try MediaFile(mux(try write(bytes, recipe.codec), "out.mp4"))
        let units = AnnexB.units(in: bytes.span.bytes, codec: recipe.codec)
        let comeAgain = units.count(where: \.isSPS) > 1
        let entry: StaticString =
            recipe.codec == .h264 ? (comeAgain ? "avc3" : "avc1") : (comeAgain ? "hev1" : "hvc1")
        #expect(muxed.video?.parameters.codecTag == OutputStreamDescription.tag(entry))
        #expect(muxed.packets(.video).first?.isKeyFrame == true)
    }

    @Test func `asked for, sets that come again go, and the others are all there`() throws {
        let (bytes, _) = try ByteStreamRecipe.hevcRepeating.make()
        var job = MuxJob(input: try write(bytes, .hevc), output: directory.file("out.mp4"))
        (job.frameRate, job.parameterSets) = (Rational(25, 1), .record)
        _ = try job.run(Cancellation())
        #expect(try MediaFile(job.output).video?.parameters.codecTag == OutputStreamDescription.tag("hvc1"))
        let units = AnnexB.units(in: bytes.span.bytes, codec: .hevc)
        let first = units.prefix(3) + units.dropFirst(3).filter { !$0.isParameterSet }
        #expect(try extract(job.output) == AnnexB.write(Array(first), of: bytes.span.bytes))
    }

    @Test func `sets that change stay where they are, and cannot be asked away`() throws {
        let small = try ByteStreamRecipe.h264.make().bytes
        let large = try VideoRecipe {
            $0.size = PixelSize(192, 128)
            $0.frameCount = 5
        }.encode(globalHeader: false).packets.flatMap { packet in
            let bytes = Array(packet.bytes)
            return AnnexB.write(AnnexB.units(in: bytes.span.bytes, codec: .h264), of: bytes.span.bytes)
        }
        let input = try write(small + large, .h264)
        #expect(try extract(mux(input, "out.mp4")) == small + large)
        var job = MuxJob(input: input, output: directory.file("other.mp4"))
        (job.frameRate, job.parameterSets) = (Rational(25, 1), .record)
        #expect(throws: TranscodeError.self) { try job.run(Cancellation()) }
        #expect(!directory.names.contains { $0.contains("other") })
    }

    @Test(
        "a stream muxed by another program is extracted, and muxed again unchanged",
        arguments: ["mp4", "mov", "mkv"], [NALCodec.h264, .hevc])
    func foreign(pathExtension: String, codec: NALCodec) throws {
        let path = directory.file("source.\(pathExtension)")
        try MovieRecipe(codec == .h264 ? VideoRecipe() : .hevc).write(to: path)
        let once = try extract(path)
        #expect(ByteStreamCodec.announced(in: once.span.bytes) == codec)
        let name = directory.file("once.\(codec == .h264 ? "h264" : "h265")")
        try Files.write(once, to: name)
        #expect(try extract(mux(name, "again.\(pathExtension)")) == once)
        // Equal to the container's frames.
        let units = try MediaFile(path).packets(.video).reduce(0) {
            try $0
                + LengthPrefixed.fourBytes.units(
                    in: $1.bytes.span.bytes, codec: codec
                ).count
        }
        let record = try NALFraming(
            extradata: try #require(MediaFile(path).video).parameters.extradata, codec: codec, isSelfContained: false)
        #expect(AnnexB.units(in: once.span.bytes, codec: codec).count == units + record.units.count)
    }

    @Test func `start codes of three bytes become four, and nothing else changes`() throws {
        let (bytes, _) = try ByteStreamRecipe.h264.make()
        let units = AnnexB.units(in: bytes.span.bytes, codec: .h264)
        let short: [UInt8] = [0] + units.flatMap { unit -> [UInt8] in [0, 0, 1] + bytes[unit.range] } + [0, 0]
        #expect(try extract(mux(try write(short, .h264), "out.mp4")) == bytes)
    }

    @Test func `the stream's own frame rate is taken where none is given`() throws {
        let path = try mux(try write(ByteStreamRecipe.hevc.make().bytes, .hevc), "out.mkv", rate: nil)
        #expect(try MediaFile(path).times(.video).prefix(3) == [0, 0.04, 0.08])
    }

    @Test func `the two fields of a frame are one sample`() throws {
        let bytes = try FieldStream.make(frameCount: 4)
        let muxed = try mux(try write(bytes, .h264), "out.mp4")
        #expect(try MediaFile(muxed).times(.video) == [0, 0.04, 0.08, 0.12])
        #expect(try extract(muxed) == bytes)
    }
}

/// Field pairs without macroblocks: no available encoder makes any.
private enum FieldStream {
    static func make(frameCount: Int) throws -> [UInt8] {
        var sps = H264SPS()
        (sps.profileIDC, sps.levelIDC, sps.isFrameMacroblocksOnly) = (77, 30, false)
        (sps.widthInMacroblocksMinus1, sps.heightInMapUnitsMinus1) = (9, 4)
        let fields = (0..<2 * frameCount).map {
            slice(frameNum: $0 / 2, isBottom: $0 % 2 == 1, isIDR: $0 == 0, order: $0)
        }
        return ([try sps.nalUnit(), try H264PPS().nalUnit()] + fields).flatMap { AnnexB.startCode + $0 }
    }

    private static func slice(frameNum: Int, isBottom: Bool, isIDR: Bool, order: Int) -> [UInt8] {
        var bits = BitWriter()
        for value: UInt32 in [0, 7, 0] { bits.ue(value) }
        bits.u(4, UInt64(frameNum))
        bits.flag(true)
        bits.flag(isBottom)
        if isIDR { bits.ue(0) }
        bits.u(4, UInt64(order))
        bits.u(16, 0xffff)
        return H264NALUnitHeader(refIDC: 1, type: isIDR ? .idrSlice : .nonIDRSlice).bytes
            + EmulationPrevention.insert(into: bits.bytes)
    }
}
