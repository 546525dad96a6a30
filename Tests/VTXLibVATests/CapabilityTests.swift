import Testing
import VTXLibVA
import VTXMedia

/// A driver's encoders on a GPU: `V` is EncSlice, `L` is EncSliceLP, `-` is neither.
private struct Expected {
    var rows: Int
    var h264: String
    var hevc: String
    var main10: String
    var main444: String
    var videoProcessing: Bool
}

private func expect(
    _ rows: Int, _ h264: String, _ hevc: String, _ main10: String, _ main444: String = "-", vpp: Bool
) -> Expected {
    Expected(rows: rows, h264: h264, hevc: hevc, main10: main10, main444: main444, videoProcessing: vpp)
}

private let free10 = expect(15, "L", "-", "-", vpp: false)
private let free12 = expect(41, "L", "L", "L", "L", vpp: true)
private let lowPower = expect(42, "L", "L", "L", "L", vpp: true)
private let full12 = expect(58, "VL", "VL", "VL", "L", vpp: true)

/// Every fixture has a row here; a new fixture without one fails.
private let table: [String: Expected] = [
    "ihd-free-bdw": expect(7, "-", "-", "-", vpp: false), "ihd-free-skl": expect(12, "L", "-", "-", vpp: false),
    "ihd-free-bxt": expect(14, "L", "-", "-", vpp: false), "ihd-free-kbl": free10, "ihd-free-glk": free10,
    "ihd-free-cfl": free10, "ihd-free-cml": free10, "ihd-free-icl": expect(30, "L", "L", "L", "L", vpp: true),
    "ihd-free-jsl": expect(30, "L", "L", "L", "L", vpp: true), "ihd-free-tgl": lowPower, "ihd-free-adlp": lowPower,
    "ihd-free-rkl": free12, "ihd-free-adls": free12, "ihd-free-rpls": free12, "ihd-free-dg1": free12,
    "ihd-free-dg2": lowPower, "ihd-free-dg2m": lowPower, "ihd-free-dg2s": lowPower, "ihd-free-mtl": lowPower,
    "ihd-free-nohuc-skl": expect(12, "L", "-", "-", vpp: false),
    "ihd-free-nohuc-icl": expect(26, "L", "L", "L", "L", vpp: true),
    "ihd-free-nohuc-jsl": expect(26, "L", "L", "L", "L", vpp: true),
    "ihd-free-nohuc-tgl": expect(38, "L", "L", "L", "L", vpp: true),
    "ihd-non-free-bdw": expect(20, "V", "-", "-", vpp: true),
    "ihd-non-free-skl": expect(28, "VL", "V", "-", vpp: true),
    "ihd-non-free-bxt": expect(28, "VL", "V", "-", vpp: true),
    "ihd-non-free-kbl": expect(32, "VL", "V", "V", vpp: true),
    "ihd-non-free-glk": expect(30, "VL", "V", "V", vpp: true),
    "ihd-non-free-cfl": expect(32, "VL", "V", "V", vpp: true),
    "ihd-non-free-cml": expect(32, "VL", "V", "V", vpp: true),
    "ihd-non-free-icl": expect(46, "VL", "VL", "VL", "L", vpp: true),
    "ihd-non-free-jsl": expect(33, "L", "L", "L", "L", vpp: true),
    "ihd-non-free-tgl": expect(59, "VL", "VL", "VL", "L", vpp: true),
    "ihd-non-free-adlp": expect(59, "VL", "VL", "VL", "L", vpp: true), "ihd-non-free-rkl": full12,
    "ihd-non-free-adls": full12, "ihd-non-free-rpls": full12, "ihd-non-free-dg1": full12, "ihd-non-free-dg2": lowPower,
    "ihd-non-free-dg2m": lowPower, "ihd-non-free-dg2s": lowPower, "ihd-non-free-mtl": lowPower,
    "i965-free-bdw": expect(17, "V", "-", "-", vpp: false), "i965-free-skl": expect(28, "VL", "-", "-", vpp: false),
    "i965-free-bxt": expect(23, "VL", "-", "-", vpp: true), "i965-free-kbl": expect(28, "VL", "-", "-", vpp: true),
    "i965-free-glk": expect(24, "VL", "-", "-", vpp: true), "i965-free-cfl": expect(26, "VL", "-", "-", vpp: true),
    "i965-shaders-bdw": expect(20, "V", "-", "-", vpp: true),
    "i965-shaders-skl": expect(33, "VL", "V", "-", vpp: true),
    "i965-shaders-bxt": expect(27, "VL", "V", "-", vpp: true),
    "i965-shaders-kbl": expect(32, "VL", "V", "V", vpp: true),
    "i965-shaders-glk": expect(30, "VL", "V", "V", vpp: true),
    "i965-shaders-cfl": expect(32, "VL", "V", "V", vpp: true),
    "radeonsi-polaris10": expect(16, "V", "V", "-", vpp: true), "radeonsi-vega10": expect(15, "V", "V", "-", vpp: true),
    "radeonsi-raven": expect(18, "V", "V", "-", vpp: true), "radeonsi-renoir": expect(19, "V", "V", "V", vpp: true),
    "radeonsi-navi10": expect(19, "V", "V", "V", vpp: true), "radeonsi-navi21": expect(20, "V", "V", "V", vpp: true),
    "radeonsi-navi22": expect(20, "V", "V", "V", vpp: true), "radeonsi-navi24": expect(8, "-", "-", "-", vpp: true),
    "radeonsi-vangogh": expect(20, "V", "V", "V", vpp: true),
    "radeonsi-rembrandt": expect(15, "V", "V", "V", vpp: true),
    "radeonsi-navi31": expect(15, "V", "V", "V", vpp: true),
]

private func letters(_ answers: DriverCapabilities, _ profile: Profile) -> String {
    let letters = answers.encodingRows(profile).map { $0.entrypoint == .encSlice ? "V" : "L" }.joined()
    return letters.isEmpty ? "-" : letters
}

@Suite("Driver capabilities on each GPU")
struct CapabilityTests {
    @Test("each fixture is in the table, and each row of the table is a fixture")
    func complete() { #expect(Set(Fixture.names) == Set(table.keys)) }

    @Test("the encoders of each GPU", arguments: Fixture.names)
    func encoders(name: String) throws {
        let expected = try #require(table[name])
        let answers = try Fixture(name).answers
        #expect(answers.rows.count == expected.rows)
        #expect(letters(answers, .h264High) == expected.h264)
        #expect(letters(answers, .hevcMain) == expected.hevc)
        #expect(letters(answers, .hevcMain10) == expected.main10)
        #expect(letters(answers, .hevcMain444) == expected.main444)
        #expect(answers.has(.none, .videoProc) == expected.videoProcessing)
        #expect((answers.videoProcessing != nil) == expected.videoProcessing)
    }

    @Test("Intel's free build has no EncSlice on any GPU", arguments: Fixture.names.filter { $0.hasPrefix("ihd-free") })
    func freeBuild(name: String) throws {
        #expect(try Fixture(name).answers.rows.allSatisfy { $0.entrypoint != .encSlice })
    }

    @Test(
        "radeonsi of Mesa 22.3 takes no H.264 headers, only the sequence's for HEVC, and has one reference",
        arguments: Fixture.names.filter { $0.hasPrefix("radeonsi") && $0 != "radeonsi-navi24" })
    func radeonsi(name: String) throws {
        let answers = try Fixture(name).answers
        let h264 = try #require(answers.row(.h264High, .encSlice))
        let hevc = try #require(answers.row(.hevcMain, .encSlice))
        #expect(h264.packedHeaders == [] && hevc.packedHeaders == .sequence)
        for row in [h264, hevc] {
            #expect(try #require(row.maxReferences) == (1, 0))
            #expect(row.rateControlModes == [.cbr, .vbr, .cqp])
        }
        #expect(answers.videoProcessing?.deinterlacing == [.bob, .weave, .motionAdaptive])
        #expect(answers.videoProcessing?.rotations == [])
    }

    @Test("AV1 is decoded from Tiger Lake and Navi 21 on, and encoded by DG2 and Meteor Lake", arguments: Fixture.names)
    func av1(name: String) throws {
        let answers = try Fixture(name).answers
        let av1 = try #require(Profile("AV1Profile0"))
        let gpu = name.split(separator: "-").last.map(String.init) ?? ""
        let decodes = ["tgl", "rkl", "adls", "adlp", "rpls", "dg1", "dg2", "dg2m", "dg2s", "mtl"]
        let decodesAMD = ["navi21", "navi22", "navi31", "vangogh", "rembrandt"]
        #expect(answers.has(av1, .vld) == (decodes + decodesAMD).contains(gpu))
        #expect(answers.has(av1, .encSliceLP) == ["dg2", "dg2m", "dg2s", "mtl"].contains(gpu))
    }

    @Test(
        "tone mapping is offered from Ice but not Jasper Lake on, non-free from Kaby Lake on",
        arguments: Fixture.names)
    func toneMapping(name: String) throws {
        let without = ["bdw", "skl", "bxt", "jsl"]
        let middle = ["kbl", "glk", "cfl", "cml"]
        let gpu = name.split(separator: "-").last.map(String.init) ?? ""
        let offers =
            name.hasPrefix("ihd") && !without.contains(gpu)
            && (name.contains("non-free") || !middle.contains(gpu))
        #expect(try Fixture(name).answers.videoProcessing?.toneMapping.contains(.hdrToSDR) ?? false == offers)
    }

    @Test("without HuC there is no low-power VP9", arguments: ["icl", "jsl", "tgl"])
    func vp9(gpu: String) throws {
        let vp9 = try #require(Profile("VP9Profile0"))
        #expect(try !Fixture("ihd-free-nohuc-\(gpu)").answers.has(vp9, .encSliceLP))
        #expect(try Fixture("ihd-free-\(gpu)").answers.has(vp9, .encSliceLP))
    }

    @Test("Tiger Lake in detail, low power and the programmable encoder")
    func tigerLake() throws {
        let answers = try Fixture("ihd-non-free-tgl").answers
        let lowPower = try #require(answers.row(.h264High, .encSliceLP))
        let full = try #require(answers.row(.h264High, .encSlice))
        #expect(try #require(lowPower.maxReferences) == (3, 0))
        #expect(try #require(full.maxReferences) == (8, 2))
        #expect(lowPower.packedHeaders == [.sequence, .picture, .slice, .misc, .rawData])
        #expect(lowPower.maxPictureSize == PixelSize(4096, 4096) && lowPower.qualityLevels == 7)
        #expect(lowPower.surfaces?.minSize == PixelSize(32, 32) && lowPower.surfaces?.formats == [.nv12])
        let main10 = try #require(answers.row(.hevcMain10, .encSliceLP))
        #expect(main10.predictionDirections == [.previous, .future, .biNotEmpty])
        #expect(main10.rtFormats.contains(.yuv420x10) && main10.surfaces?.formats == [.p010])
        #expect(main10.maxPictureSize == PixelSize(16384, 12288))
        let processing = try #require(answers.videoProcessing)
        #expect(processing.toneMapping.contains(.hdrToSDR) && processing.rotations.contains([.quarter, .half]))
        #expect(processing.mirrors == [.horizontal, .vertical])
    }

    @Test("without HuC the low-power encoder has only constant quality", arguments: ["skl", "icl", "jsl", "tgl"])
    func huc(gpu: String) throws {
        let without = try #require(Fixture("ihd-free-nohuc-\(gpu)").answers.row(.h264High, .encSliceLP))
        let with = try #require(Fixture("ihd-free-\(gpu)").answers.row(.h264High, .encSliceLP))
        #expect(without.rateControlModes == .cqp)
        #expect(with.rateControlModes.contains([.cqp, .cbr, .vbr, .qvbr]))
    }
}
