import Testing
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

@Suite("Decoder configuration records")
struct RecordTests {
    /// The record that libavformat writes into an MP4 file.
    private func extradata(_ test: StreamCase) throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.mp4")
        try CodedStream.exclusively { try MovieRecipe(test.recipe).write(to: path) }
        return try #require(try MediaFile(path).video).parameters.extradata
    }

    private static let h264Cases = StreamCase.h264.filter {
        ["bframes=3", "baseline", "4:4:4", "10 bits", "aud=1"].contains($0.name)
    }
    private static let hevcCases = StreamCase.hevc.filter {
        ["bframes=3", "4:2:2, 10 bits", "wpp=0", "PQ", "temporal-layers=3:b-adapt=0:bframes=3"].contains(
            $0.name)
    }

    @Test("the codec string is the same from the record and from the parameter sets", arguments: h264Cases + hevcCases)
    func codecString(test: StreamCase) throws {
        let bytes = try extradata(test)
        let codec: NALCodec = h264(bytes) ? .h264 : .hevc
        let sets = try NALFraming(extradata: bytes, codec: codec).units
        let name = CodecString.of(codec == .h264 ? "h264" : "hevc", extradata: bytes)
        #expect(name?.hasPrefix(codec == .h264 ? "avc1." : "hvc1.") == true)
        #expect(
            CodecString.of(
                codec == .h264 ? "h264" : "hevc", extradata: sets.reduce(into: []) { $0 += AnnexB.startCode + $1 })
                == name)
    }

    private func h264(_ record: [UInt8]) -> Bool { (try? AVCDecoderConfigurationRecord(record)) != nil }

    @Test("codec strings follow RFC 6381, and an unreadable record has none")
    func codecNames() {
        #expect(CodecString.of("aac", extradata: [0x12, 0x10]) == "mp4a.40.2")
        #expect(CodecString.of("aac", extradata: []) == nil && CodecString.of("h264", extradata: [1]) == nil)
        #expect(CodecString.of("flac", extradata: [1]) == nil)
    }

    @Test("an avcC box is written unchanged, and created like libavformat's", arguments: h264Cases)
    func avcBox(test: StreamCase) throws {
        let bytes = try extradata(test)
        let record = try AVCDecoderConfigurationRecord(bytes)
        #expect(try record.bytes() == bytes)
        let made = try AVCDecoderConfigurationRecord(spss: record.spss, ppss: record.ppss)
        #expect(try made.bytes() == bytes)
    }

    @Test("an hvcC box is written unchanged, and created with the same description", arguments: hevcCases)
    func hevcBox(test: StreamCase) throws {
        let bytes = try extradata(test)
        let record = try HEVCDecoderConfigurationRecord(bytes)
        #expect(try record.bytes() == bytes)
        var made = try HEVCDecoderConfigurationRecord(
            vpss: record.units(.vps), spss: record.units(.sps), ppss: record.units(.pps))
        #expect(made.profileIDC == record.profile.idc && !made.isHighTier)
        #expect(made.arrays.map(\.units) == record.arrays.filter { $0.type.rawValue < 35 }.map(\.units))
        // libavformat has x265's SEI in a separate array, and marks no array as complete.
        made.arrays = record.arrays
        made.parallelismType = record.parallelismType
        #expect(try made.bytes() == bytes)
    }

    @Test("a truncated record is an error at every length", arguments: [StreamCase.h264[0], StreamCase.hevc[0]])
    func truncated(test: StreamCase) throws {
        let bytes = try extradata(test)
        for length in 0..<bytes.count {
            let part = Array(bytes.prefix(length))
            let isReadable =
                test.codec == .h264
                ? (try? AVCDecoderConfigurationRecord(part)) != nil : (try? HEVCDecoderConfigurationRecord(part)) != nil
            // An avcC box without the High profiles' fields is an older valid form.
            #expect(!isReadable || test.codec == .h264 && length >= bytes.count - 4)
        }
    }

    @Test("a record's SPS is completed", arguments: [StreamCase.h264[0], StreamCase.hevc[0]])
    func completed(test: StreamCase) throws {
        let bytes = try extradata(test)
        let completion = ParameterSetCompletion(codec: test.codec, displaySize: PixelSize(140, 90))
        let new = try #require(try completion.completing(extradata: bytes))
        #expect(new.changes.map(\.description) == ["display size: 144x96 -> 140x90"])
        let unit: [UInt8] =
            test.codec == .h264
            ? try AVCDecoderConfigurationRecord(new.value).spss[0]
            : try HEVCDecoderConfigurationRecord(new.value).units(.sps)[0]
        let set: any SequenceParameterSet =
            test.codec == .h264 ? try H264SPS(nalUnit: unit) : try HEVCSPS(nalUnit: unit)
        #expect(set.displaySize == PixelSize(140, 90))
        let again = try completion.completing(extradata: new.value)
        #expect(again == nil)
    }

    @Test func `a record never has another version or lengths of three bytes`() {
        #expect(throws: BitstreamError.invalid(element: "configurationVersion", value: 0)) {
            try AVCDecoderConfigurationRecord([0, 66, 0, 30, 0xff, 0xe0, 0])
        }
        #expect(throws: BitstreamError.invalid(element: "lengthSizeMinusOne", value: 2)) {
            try AVCDecoderConfigurationRecord([1, 66, 0, 30, 0xfe, 0xe0, 0])
        }
        #expect(throws: BitstreamError.truncated) { try AVCDecoderConfigurationRecord(spss: [], ppss: []) }
    }

    @Test("a value that does not fit into its field is an error that names it")
    func tooLarge() throws {
        let record = try AVCDecoderConfigurationRecord(try extradata(Self.h264Cases[0]))
        func element(_ change: (inout AVCDecoderConfigurationRecord) -> Void) -> String? {
            var changed = record
            changed.high = .init(chromaFormatIDC: 1, bitDepthLumaMinus8: 0, bitDepthChromaMinus8: 0)
            change(&changed)
            do throws(BitstreamError) { _ = try changed.bytes() } catch {
                if case .invalid(let element, _) = error { return element }
            }
            return nil
        }
        #expect(element { _ in } == nil)
        #expect(element { $0.profileIDC = 300 } == "AVCProfileIndication")
        #expect(element { $0.levelIDC = -1 } == "AVCLevelIndication")
        #expect(element { $0.lengthSize = 3 } == "lengthSizeMinusOne")
        #expect(element { $0.spss = Array(repeating: [], count: 32) } == "numOfSequenceParameterSets")
        #expect(element { $0.high?.chromaFormatIDC = 7 } == "chroma_format")
        #expect(element { $0.high?.bitDepthChromaMinus8 = 8 } == "bit_depth_chroma_minus8")
    }
}
