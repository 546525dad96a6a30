import Testing
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

@testable import VTXCapture

@Suite("Decoding an H.264 camera")
struct CaptureDecoderTests {
    private static let step: Int64 = 9000

    /// Access units of a tenth of a second each, with key frames at 0 and 6.
    private func packets(_ color: ColorDescription = .bt709) throws -> [Packet] {
        let camera = FakeCamera((0..<10).map { .picture(Double($0) / 10) })
        let encoder = try SoftwareEncoders(color: color).open(camera.format, usesGlobalHeader: false).encoder
        let decoder = try CaptureDecoder(camera.format)
        var packets: [Packet] = []
        for number in 0..<10 {
            let picture = try #require(try camera.next(within: 1))
            let item = CaptureReader.Item(picture: picture, ticks: Int64(number) * Self.step)
            let frame = try #require(decoder.frames(of: item).first)
            try encoder.send(frame, forcesKeyFrame: number % 6 == 0)
            if case .unit(let packet) = try encoder.receive() { packets.append(packet) }
        }
        return packets
    }

    private func decoder(_ color: ColorDescription = .bt709) throws -> CaptureDecoder {
        try CaptureDecoder(
            CaptureFormat(name: "H264", size: FakeCamera.size, frameRate: 10, color: color, codecName: "h264"))
    }

    private func item(_ packet: Packet, _ index: Int) -> CaptureReader.Item {
        CaptureReader.Item(
            picture: CapturedPicture(.coded(packet), time: MediaTime(seconds: Double(index) / 10)),
            ticks: Int64(index) * Self.step, index: index)
    }

    @Test("after a lost frame, frames up to the next key frame are dropped and counted", arguments: [2, 6])
    func loss(_ lost: Int) throws {
        let decoder = try decoder()
        var times: [Int64] = []
        for (index, packet) in try packets().enumerated() where index != lost {
            times += decoder.frames(of: item(packet, index)).compactMap(\.pts)
        }
        times += decoder.finish().compactMap(\.pts)
        let expected: [Int64] = lost == 2 ? [0, 1, 6, 7, 8, 9] : [0, 1, 2, 3, 4, 5]
        #expect(times == expected.map { $0 * Self.step })
        #expect(decoder.damagedCount == 3)
    }

    @Test("reordered frames keep their times, and the last one is not lost")
    func delay() throws {
        let decoder = try decoder()
        var (times, counts) = ([Int64](), [Int]())
        for (index, packet) in try packets().enumerated() {
            let frames = decoder.frames(of: item(try delayed(packet), index))
            times += frames.compactMap(\.pts)
            counts.append(frames.count)
        }
        times += decoder.finish().compactMap(\.pts)
        #expect(counts.first == 0)
        #expect(times == (0..<10).map { $0 * Self.step } && decoder.damagedCount == 0)
    }

    /// Returns the packet with an SPS that allows a frame to be reordered.
    private func delayed(_ packet: Packet) throws -> Packet {
        let bytes = packet.bytes.bytes
        var stream: [UInt8] = []
        for unit in AnnexB.units(in: bytes, codec: .h264) {
            guard unit.isSPS else {
                AnnexB.append(unit, of: bytes, to: &stream)
                continue
            }
            var sps = try H264SPS(nalUnit: bytes.extracting(unit.range))
            var restriction = H264BitstreamRestriction()
            restriction.maxNumReorderFrames = 1
            restriction.maxDecFrameBuffering = max(2, sps.maxNumRefFrames)
            sps.vui?.bitstreamRestriction = restriction
            stream += AnnexB.startCode + (try sps.nalUnit())
        }
        return try packet.replacing(bytes: stream)
    }

    @Test("the stream's colors override the driver's")
    func colors() throws {
        let full = ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: true)
        let driver = ColorDescription(primaries: 6, transfer: 6, matrix: 6, isFullRange: false)
        let decoder = try decoder(driver)
        let first = try #require(try packets(full).first)
        let frame = try #require(decoder.frames(of: item(first, 0)).first ?? decoder.finish().first)
        #expect(frame.pixelFormat == .i420 && frame.color.isFullRange == true && frame.color.matrix == 1)
    }
}
