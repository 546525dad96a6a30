import Testing
import VTXBitstream
import VTXMedia

@Suite("NAL units with lengths")
struct LengthPrefixedTests {
    private static let samples: [(Int, [UInt8])] = [
        (1, [2, 0x65, 1, 1, 0x66]), (2, [0, 2, 0x65, 1, 0, 1, 0x66]), (4, [0, 0, 0, 2, 0x65, 1, 0, 0, 0, 1, 0x66]),
    ]

    @Test("lengths of one, two and four bytes", arguments: samples)
    func sizes(size: Int, sample: [UInt8]) throws {
        let format = try LengthPrefixed(lengthSize: size)
        let units = try format.units(in: sample, codec: .h264)
        #expect(units.map(\.h264Type) == [.idrSlice, .sei])
        let stream = try format.annexB(sample, codec: .h264)
        #expect(stream == [0, 0, 0, 1, 0x65, 1, 0, 0, 0, 1, 0x66])
        #expect(try format.convert(annexB: stream, codec: .h264) == sample)
    }

    @Test("a truncated sample is an error at every length", arguments: samples)
    func truncated(size: Int, sample: [UInt8]) throws {
        let format = try LengthPrefixed(lengthSize: size)
        let whole = [0, size + 2, sample.count]
        for length in 0...sample.count where !whole.contains(length) {
            let part = Array(sample.prefix(length))
            #expect(throws: BitstreamError.truncated) { try format.units(in: part, codec: .h264) }
        }
    }

    @Test func `a length of four billion is an error`() {
        let sample: [UInt8] = [0xff, 0xff, 0xff, 0xff, 0x65]
        #expect(throws: BitstreamError.truncated) {
            try LengthPrefixed.fourBytes.units(in: sample, codec: .h264)
        }
    }

    @Test func `three bytes are no size, and a unit has to fit its length`() throws {
        #expect(throws: BitstreamError.invalid(element: "lengthSizeMinusOne", value: 2)) {
            try LengthPrefixed(lengthSize: 3)
        }
        let stream: [UInt8] = [0, 0, 1] + [UInt8](repeating: 0x65, count: 256)
        #expect(throws: BitstreamError.invalid(element: "NALUnitLength", value: 256)) {
            try LengthPrefixed(lengthSize: 1).convert(annexB: stream, codec: .h264)
        }
    }

    @Test func `lengths of four bytes become start codes in place`() throws {
        var sample: [UInt8] = [0, 0, 0, 2, 0x65, 1, 0, 0, 0, 1, 0x66]
        try LengthPrefixed.fourBytes.replaceLengthsByStartCodes(in: &sample, codec: .h264)
        #expect(sample == [0, 0, 0, 1, 0x65, 1, 0, 0, 0, 1, 0x66])
        var broken: [UInt8] = [0, 0, 0, 9, 0x65]
        #expect(throws: BitstreamError.truncated) {
            try LengthPrefixed.fourBytes.replaceLengthsByStartCodes(in: &broken, codec: .h264)
        }
        #expect(broken == [0, 0, 0, 9, 0x65])
    }
}
