import FoundationEssentials
import Testing

@testable import VTXMedia

@Suite("The vocabulary as JSON")
struct CodableTests {
    @Test("is readable")
    func readable() throws {
        #expect(try json(Rational(30000, 1001)) == "\"30000/1001\"")
        #expect(try json(PixelSize(1920, 1080)) == "\"1920x1080\"")
        #expect(try json(MediaTime(90, Rational(1, 90000))) == "{\"ticks\":90,\"timeBase\":\"1/90000\"}")
        #expect(try json(#require(Quality(70))) == "70")
        #expect(try json(RateControl.bitrate(average: 5_000_000, max: nil)) == "{\"bitrate\":5000000}")
        #expect(try json(DeviceSelector.path("/dev/dri/renderD128")) == "\"/dev/dri/renderD128\"")
        #expect(try json(KeyFrameInterval(frames: 120, seconds: 5)) == "\"120,5s\"")
        #expect(try json(Disposition(rawValue: 0x41)) == "[\"default\",\"forced\"]")
        #expect(try json(EncodingMode(entrypoint: "EncSlice", rateControl: "VBR")) == "\"EncSlice VBR\"")
    }

    @Test("is equal after a round trip")
    func roundTrips() throws {
        try expectRoundTrip([Rational(0, 1), Rational(1, 0), Rational(-3, 2), Rational(24, 1)])
        try expectRoundTrip([KeyFrameInterval(), KeyFrameInterval(frames: 3), KeyFrameInterval(seconds: 0.5)])
        try expectRoundTrip([RateControl.quality(#require(Quality(61.5))), .bitrate(average: 1000, max: 2000)])
        try expectRoundTrip([DisplayMatrix.identity])
        try expectRoundTrip([DecodingCapability.everything, .rows([])])
        try expectRoundTrip([Self.stream])
        try expectRoundTrip([Self.matrix])
    }

    @Test("of a wrong kind is an error that names it", arguments: ["\"30000-1001\"", "\"1/2/3\"", "\"\"", "\"a/b\""])
    func wrong(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Rational.self, from: Data(text.utf8)) }
    }

    private static var stream: StreamInfo {
        var stream = StreamInfo(
            index: 1, kind: .video, codecName: "hevc", codecTag: 0x3163_7668, timeBase: Rational(1, 90000))
        stream.startTime = -300
        stream.displayMatrix = .identity
        stream.hdrMetadata = HDRMetadata(contentLightLevel: ContentLightLevel(maxContent: 1000, maxFrameAverage: 400))
        stream.metadata = [MetadataEntry("language", "eng")]
        stream.disposition = [.default, .attachedPicture]
        stream.pixelFormat = .p010
        return stream
    }

    private static var matrix: CapabilityMatrix {
        CapabilityMatrix(
            device: DeviceID("/dev/dri/renderD128"), deviceName: "a GPU", isHardware: true,
            selectors: [.path("/dev/dri/renderD128"), .vendor(.intel)],
            filtering: .some(
                .init(
                    pixelFormats: [.nv12], deinterlaces: true, orientations: [.upright, .mirrored],
                    maxSize: PixelSize(4096, 4096))),
            encoders: [
                EncoderCapability(
                    codec: .hevc, profile: .main10, minSize: PixelSize(16, 16), maxSize: PixelSize(8192, 8192),
                    keepsCaptions: true)
            ])
    }

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func expectRoundTrip<Value: Codable & Equatable>(_ values: [Value]) throws {
        for value in values {
            #expect(try JSONDecoder().decode(Value.self, from: try JSONEncoder().encode(value)) == value)
        }
    }
}
