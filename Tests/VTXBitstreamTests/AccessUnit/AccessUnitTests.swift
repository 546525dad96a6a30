import Testing
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

@Suite("Access units")
struct AccessUnitTests {
    private func split(_ bytes: [UInt8], _ codec: NALCodec, chunk: (Int) -> Int) throws -> [AccessUnit] {
        var splitter = AccessUnitSplitter(codec: codec)
        var (units, offset) = ([AccessUnit](), 0)
        while offset < bytes.count {
            let end = min(bytes.count, offset + max(1, chunk(offset)))
            units += try splitter.append(Array(bytes[offset..<end]))
            offset = end
        }
        return units + splitter.finish()
    }

    @Test("each packet of an encoder is one access unit", arguments: StreamCase.all)
    func packets(test: StreamCase) throws {
        let stream = try CodedStream(test)
        let units = try split(stream.bytes, test.codec) { _ in 1000 }
        #expect(units.map(\.array) == stream.packets.map { AnnexB.uniform($0, test.codec) })
        #expect(units.first?.summary.isKeyFrame == true)
        #expect(units.first?.summary.changedParameterSets.count == (test.codec == .h264 ? 2 : 3))
        #expect(units.dropFirst().allSatisfy { $0.summary.changedParameterSets.isEmpty })
        #expect(units.allSatisfy { $0.summary.sliceType != nil && $0.summary.pocLsb != nil })
        for unit in units { #expect(unit.units == AnnexB.units(in: unit.array, codec: test.codec)) }
    }

    @Test(
        "access units do not depend on the chunks",
        arguments: [StreamCase.h264[0], StreamCase.hevc[0], StreamCase.h264[6]])
    func chunks(test: StreamCase) throws {
        let bytes = try CodedStream(test).bytes
        let whole = try split(bytes, test.codec) { _ in bytes.count }
        #expect(whole.flatMap(\.array) == AnnexB.uniform(bytes, test.codec))
        #expect(try split(bytes, test.codec) { _ in 1 } == whole)
        for seed in 0..<10 {
            var random = SeededRandom(UInt64(seed))
            #expect(try split(bytes, test.codec) { _ in .random(in: 1...200, using: &random) } == whole)
        }
    }

    @Test func `slice types follow the encoder's`() throws {
        let test = try #require(StreamCase.h264.first { $0.name == "bframes=0" })
        let types = try split(CodedStream(test).bytes, .h264) { _ in 99 }.map(\.summary.sliceType)
        #expect(types == [.i] + [SliceType?](repeating: .p, count: 5))
        let b = try split(CodedStream(StreamCase.hevc[0]).bytes, .hevc) { _ in 99 }.map(\.summary.sliceType)
        #expect(b.contains(.b) && b.first == .i)
    }

    @Test func `a key frame in the middle is found, and so is an open one`() throws {
        let closed = try #require(StreamCase.h264.first { $0.name == "keyint=3:min-keyint=1" })
        let keys = try split(CodedStream(closed).bytes, .h264) { _ in 50 }.map(\.summary.isIDR)
        #expect(keys == [true, false, false, true, false, false])
        let open = try #require(StreamCase.h264.first { $0.name.hasPrefix("open-gop") })
        let points = try split(CodedStream(open).bytes, .h264) { _ in 50 }.filter { $0.summary.recoveryPoint != nil }
        #expect(points.contains { !$0.summary.isKeyFrame && $0.summary.recoveryPoint == 0 })
    }

    @Test func `an open key frame of HEVC is one, but no IDR picture`() throws {
        var test = try #require(StreamCase.hevc.first { $0.name.hasPrefix("open-gop=1") })
        test.recipe.frameCount = 12
        let keys = try split(CodedStream(test).bytes, .hevc) { _ in 50 }.filter(\.summary.isKeyFrame)
        #expect(keys.first?.summary.isIDR == true)
        #expect(keys.count > 1 && keys.dropFirst().allSatisfy { !$0.summary.isIDR && $0.summary.pocLsb != 0 })
    }

    @Test func `the two fields of a frame are two access units`() throws {
        var sps = H264SPS()
        (sps.profileIDC, sps.isFrameMacroblocksOnly, sps.pictureOrderCount.type) = (77, false, 2)
        func slice(isBottom: Bool) -> [UInt8] {
            var bits = BitWriter()
            for value: UInt32 in [0, 7, 0] { bits.ue(value) }
            bits.u(4, 0)
            bits.flag(true)
            bits.flag(isBottom)
            bits.ue(0)
            bits.u(16, 0xffff)
            return [0, 0, 1, 0x65] + bits.bytes
        }
        let sets = try [0, 0, 1] + sps.nalUnit() + [0, 0, 1] + H264PPS().nalUnit()
        let units = try split(sets + slice(isBottom: false) + slice(isBottom: true), .h264) { _ in 3 }
        #expect(units.map(\.units.count) == [3, 1])
        #expect(units.allSatisfy { $0.summary.isIDR && $0.summary.sliceType == .i })
    }

    @Test func `a new SPS is told, a repeated one is not`() throws {
        let bytes = try CodedStream(StreamCase.h264[0]).bytes
        var other = StreamCase.h264[0]
        other.recipe.size = PixelSize(160, 96)
        let units = try split(bytes + bytes + CodedStream(other).bytes, .h264) { _ in 500 }
        #expect(
            units.map(\.summary.changedParameterSets.count).enumerated().filter { $0.element > 0 }.map(\.offset) == [
                0, 12,
            ])
    }

    @Test func `junk in front is left out, junk alone is nothing`() throws {
        let bytes = try CodedStream(StreamCase.h264[0]).bytes
        let units = try split([1, 2, 3, 4, 5] + bytes, .h264) { _ in 2 }
        #expect(units.flatMap(\.array) == AnnexB.uniform(bytes, .h264))
        var splitter = AccessUnitSplitter(codec: .h264)
        _ = try splitter.append([1, 2, 3, 4, 5] + bytes)
        #expect(splitter.strayByteCount == 5)
        splitter = AccessUnitSplitter(codec: .h264)
        _ = try splitter.append([0, 0, 0]) + splitter.append([1] + bytes.dropFirst(4))
        #expect(splitter.strayByteCount == 0)
        #expect(try split([UInt8](repeating: 7, count: 100_000), .hevc) { _ in 4096 }.isEmpty)
        #expect(try split([UInt8](repeating: 0, count: 100_000), .hevc) { _ in 4096 }.isEmpty)
    }

    @Test func `an access unit comes out as soon as the next one's header is there`() throws {
        let stream = try CodedStream(StreamCase.h264[0])
        let second = AnnexB.uniform(stream.packets[1], .h264)
        var splitter = AccessUnitSplitter(codec: .h264)
        #expect(try splitter.append(stream.packets[0]).isEmpty)
        #expect(try splitter.append(Array(second.prefix(4 + 63))).isEmpty)
        #expect(try splitter.append(Array(second[(4 + 63)..<(4 + 64)])).count == 1)
    }

    @Test func `zeros between units, and a start code that chunks share, change nothing`() throws {
        let test = StreamCase.h264[0]
        let units = try CodedStream(test).packets.map { AnnexB.uniform($0, .h264) }
        let whole = try split(units.flatMap(\.self), .h264) { _ in 1 << 20 }
        let padded = units.flatMap { (unit: [UInt8]) -> [UInt8] in [0, 0, 0] + unit + [0, 0, 0, 0, 0] }
        for size in 1...7 { #expect(try split(padded, .h264) { _ in size } == whole) }
    }

    @Test func `an access unit without end is an error`() throws {
        var splitter = AccessUnitSplitter(codec: .h264)
        let chunk = [UInt8](repeating: 0xff, count: 1 << 24)
        let head: [UInt8] = [0, 0, 1, 0x65]
        _ = try splitter.append(head)
        #expect(throws: BitstreamError.self) {
            for _ in 0..<5 { _ = try splitter.append(chunk) }
        }
    }
}
