import Testing
import VTXBitstream
import VTXTestMedia

@Suite("Picture order counts")
struct PictureOrderTests {
    private func split(_ bytes: [UInt8], _ test: StreamCase) throws -> [AccessUnit.Summary] {
        var splitter = AccessUnitSplitter(codec: test.codec)
        return (try splitter.append(bytes) + splitter.finish()).map(\.summary)
    }

    /// Presentation order: sequence by sequence, each in the order of its counts.
    private func ranks(_ pictures: [AccessUnit.Summary]) throws -> [Int] {
        var (sequence, keys) = (0, [(Int, Int)]())
        for picture in pictures {
            if picture.beginsSequence { sequence += 1 }
            keys.append((sequence, try #require(picture.pictureOrderCount)))
        }
        return keys.map { key in keys.count { $0 < key } }
    }

    @Test("counts follow the encoder's presentation order", arguments: StreamCase.all)
    func encoders(test: StreamCase) throws {
        let stream = try CodedStream(test)
        let times = stream.times
        #expect(try ranks(split(stream.bytes, test)) == times.map { time in times.count { $0 < time } })
    }

    @Test("counts follow the presentation order after the coded bits wrap", arguments: [0, 1])
    func wraps(index: Int) throws {
        var test = index == 0 ? StreamCase.h264[0] : StreamCase.hevc[0]
        test.recipe.frameCount = 300
        test.recipe.keyFrameInterval = 1000
        let stream = try CodedStream(test)
        let times = stream.times
        let pictures = try split(stream.bytes, test)
        #expect(Set(pictures.compactMap(\.pocLsb)).count < pictures.count)
        #expect(try ranks(pictures) == times.map { time in times.count { $0 < time } })
    }

    @Test func `a second sequence begins at zero again`() throws {
        let test = StreamCase.h264[0]
        let bytes = try CodedStream(test).bytes
        let pictures = try split(bytes + bytes, test)
        #expect(pictures.count(where: \.beginsSequence) == 2)
        #expect(pictures.prefix(6).map(\.pictureOrderCount) == pictures.suffix(6).map(\.pictureOrderCount))
    }

    @Test func `frame numbers count where the SPS has type 2`() throws {
        let stream = HandMadeStream(orderType: 2)
        let slices = (0..<40).map { stream.slice(frameNum: $0 % 16, isIDR: $0 == 0) }
        let counts = try split(stream.bytes(slices), StreamCase.h264[0]).map(\.pictureOrderCount)
        #expect(counts == (0..<40).map { 2 * $0 })
    }

    @Test func `type 1 adds a cycle of offsets, and takes one off where nothing refers to the picture`() throws {
        let stream = HandMadeStream(orderType: 1)
        var slices = [stream.slice(frameNum: 0, isIDR: true)]
        slices += [(1, 1), (2, 0), (2, 1), (3, 0)].map { stream.slice(frameNum: $0.0, refIDC: $0.1) }
        let counts = try split(stream.bytes(slices), StreamCase.h264[0]).map(\.pictureOrderCount)
        // The cycle is 4, 6; non-reference pictures are 3 before their expected count.
        #expect(counts == [0, 4, 1, 10, 7])
    }

    @Test func `frame numbers that leave reference pictures out are gaps, unless the SPS allows them`() throws {
        var stream = HandMadeStream(orderType: 2)
        let numbers = [(0, 1), (1, 1), (2, 0), (2, 1), (5, 1), (6, 1), (8, 0), (8, 1), (15, 1), (0, 1)]
        let slices = numbers.enumerated().map { stream.slice(frameNum: $1.0, isIDR: $0 == 0, refIDC: $1.1) }
        let gaps = try split(stream.bytes(slices), StreamCase.h264[0]).map(\.hasFrameNumGap)
        #expect(gaps == [false, false, false, false, true, false, true, false, true, false])
        stream.sps.allowsFrameNumGaps = true
        #expect(try split(stream.bytes(slices), StreamCase.h264[0]).allSatisfy { !$0.hasFrameNumGap })
    }

    @Test func `operation 5 begins a sequence, as an IDR picture does`() throws {
        let stream = HandMadeStream(orderType: 0)
        var slices = [stream.slice(frameNum: 0, isIDR: true, lsb: 0), stream.slice(frameNum: 1, lsb: 2)]
        slices += [stream.slice(frameNum: 2, lsb: 4, forgets: true), stream.slice(frameNum: 0, lsb: 3)]
        let pictures = try split(stream.bytes(slices), StreamCase.h264[0])
        #expect(pictures.map(\.pictureOrderCount) == [0, 2, 0, 3])
        #expect(pictures.map(\.beginsSequence) == [true, false, true, false])
    }
}

/// Slices of H.264 without macroblocks; frame numbers and orders of four bits.
private struct HandMadeStream {
    var sps = H264SPS()

    init(orderType: Int) {
        sps.profileIDC = 77
        sps.pictureOrderCount.type = orderType
        sps.pictureOrderCount.isDeltaAlwaysZero = true
        guard orderType == 1 else { return }
        sps.pictureOrderCount.offsetForNonRefPic = -3
        sps.pictureOrderCount.offsetsForRefFrame = [4, 6]
    }

    func bytes(_ slices: [[UInt8]]) throws -> [UInt8] {
        let sets = [try sps.nalUnit(), try H264PPS().nalUnit()]
        return (sets + slices).flatMap { AnnexB.startCode + $0 }
    }

    /// An I or P slice; with a reset it has operations 1 and 5, without a weight table.
    func slice(frameNum: Int, isIDR: Bool = false, refIDC: Int = 1, lsb: Int = 0, forgets: Bool = false) -> [UInt8] {
        var bits = BitWriter()
        for value: UInt32 in [0, isIDR ? 7 : 5, 0] { bits.ue(value) }
        bits.u(4, UInt64(frameNum))
        if isIDR { bits.ue(0) }
        if sps.pictureOrderCount.type == 0 { bits.u(4, UInt64(lsb)) }
        if !isIDR {
            // No override; one list modification, terminated by 3.
            bits.flag(false)
            bits.flag(true)
            for value: UInt32 in [0, 4, 3] { bits.ue(value) }
            if refIDC > 0 { bits.flag(forgets) }
            if forgets { for value: UInt32 in [1, 0, 5, 0] { bits.ue(value) } }
        }
        bits.u(16, 0xffff)
        return H264NALUnitHeader(refIDC: UInt8(refIDC), type: isIDR ? .idrSlice : .nonIDRSlice).bytes
            + EmulationPrevention.insert(into: bits.bytes)
    }
}
