import Testing
import VTXLibVA
import VTXMedia

@Suite("VA-API constants")
struct WordTests {
    @Test(
        "profiles, entrypoints and attributes print va.h's names",
        arguments: [
            (Profile.hevcMain10.description, "HEVCMain10"), (Profile.none.description, "None"),
            (Profile.h264ConstrainedBaseline.description, "H264ConstrainedBaseline"),
            (Profile.hevcMain422x10.description, "HEVCMain422_10"), (Entrypoint.vld.description, "VLD"),
            (Entrypoint.encSliceLP.description, "EncSliceLP"), (Entrypoint.videoProc.description, "VideoProc"),
            (ConfigAttribute.encHEVCBlockSizes.description, "EncHEVCBlockSizes"),
            (DeinterlacingAlgorithm.motionAdaptive.description, "MotionAdaptive"),
        ])
    func names(printed: String, expected: String) { #expect(printed == expected) }

    @Test("numbers without a name are kept, printed as numbers and read back")
    func unknown() {
        #expect(Profile(rawValue: 999).description == "#999")
        #expect(Profile("#999") == Profile(rawValue: 999) && Profile("#-1") == Profile.none)
        #expect(Profile("HEVCMain99") == nil && Entrypoint("#") == nil && Entrypoint("#-1") == nil)
    }

    @Test("each name is read back as its number")
    func roundTrip() {
        for number in Profile.table.keys {
            #expect(Profile(Profile(rawValue: number).description)?.rawValue == number)
        }
        for number in ConfigAttribute.table.keys {
            #expect(ConfigAttribute(ConfigAttribute(rawValue: number).description)?.rawValue == number)
        }
    }

    @Test("flags print names, then unnamed bits as a number")
    func bits() {
        #expect(RateControlModes([.cqp, .cbr, .vbr]).description == "CBR+VBR+CQP")
        #expect(RateControlModes(rawValue: 0x8000_0010).description == "CQP+0x80000000")
        #expect(PackedHeaders([]).description == "none")
        #expect(RTFormat(rawValue: 0x101).names == ["YUV420", "YUV420_10"])
    }

    @Test(
        "FourCCs print and are read back",
        arguments: [
            (FourCC.nv12, "NV12"), (.p010, "P010"), (.y210, "Y210"), (.ayuv, "AYUV"), (.xyuv, "XYUV"),
            (FourCC(rawValue: 0x2020_3859), "Y8"), (FourCC(rawValue: 0x0102_0304), "0x1020304"),
        ])
    func fourCC(code: FourCC, text: String) {
        #expect(code.description == text)
        #expect(FourCC(text) == code)
    }

    @Test("an invalid FourCC is refused", arguments: ["", "NV123", "0xzz"])
    func noFourCC(text: String) { #expect(FourCC(text) == nil) }

    @Test("profiles map to VA's and back")
    func profiles() {
        for profile in VideoProfile.allCases {
            if let va = profile.vaProfile { #expect(va.videoProfile == profile && va.videoCodec == profile.codec) }
        }
        #expect(VideoProfile.main10.vaProfile == .hevcMain10 && VideoProfile.main10.rtFormat == .yuv420x10)
        #expect(VideoProfile.high422.vaProfile == nil && VideoProfile.high444.vaProfile == nil)
        #expect(Profile("VP9Profile0")?.videoCodec == nil && Profile.none.videoProfile == nil)
    }

    @Test("HEVC's attributes are read by their bits")
    func hevc() {
        // Mesa 22.3's value for Navi 21.
        let features = HEVCFeatures(rawValue: 0x1004_1050)
        #expect(features[.amp] == .optional && features[.sao] == .optional && features[.scalingLists] == .no)
        #expect(features[.strongIntraSmoothing] == .optional && features[.transquantBypass] == .no)
        let sizes = EncHEVCBlockSizes(rawValue: 0xcf)
        #expect(sizes.maxCodingTreeBlock == 64 && sizes.minCodingTreeBlock == 64)
        #expect(sizes.minLumaCodingBlock == 8 && sizes.maxLumaTransformBlock == 32)
        #expect(sizes.minLumaTransformBlock == 4)
    }
}
