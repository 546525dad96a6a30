/// A `VAProfile`.
package struct Profile: RawConstant {
    package var rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// No codec: video processing and statistics.
    package static let none = Profile(rawValue: -1)
    package static let h264Main = Profile(rawValue: 6)
    package static let h264High = Profile(rawValue: 7)
    package static let h264ConstrainedBaseline = Profile(rawValue: 13)
    package static let h264High10 = Profile(rawValue: 36)
    package static let hevcMain = Profile(rawValue: 17)
    package static let hevcMain10 = Profile(rawValue: 18)
    package static let hevcMain422x10 = Profile(rawValue: 24)
    package static let hevcMain444 = Profile(rawValue: 26)
    package static let hevcMain444x10 = Profile(rawValue: 27)

    /// `VAProfile*` of va.h. Those from 36 on came after libva 2.17, so they stand here as numbers.
    package static let table: [Int32: String] = [
        -1: "None", 0: "MPEG2Simple", 1: "MPEG2Main", 2: "MPEG4Simple", 3: "MPEG4AdvancedSimple", 4: "MPEG4Main",
        5: "H264Baseline", 6: "H264Main", 7: "H264High", 8: "VC1Simple", 9: "VC1Main", 10: "VC1Advanced",
        11: "H263Baseline", 12: "JPEGBaseline", 13: "H264ConstrainedBaseline", 14: "VP8Version0_3",
        15: "H264MultiviewHigh", 16: "H264StereoHigh", 17: "HEVCMain", 18: "HEVCMain10", 19: "VP9Profile0",
        20: "VP9Profile1", 21: "VP9Profile2", 22: "VP9Profile3", 23: "HEVCMain12", 24: "HEVCMain422_10",
        25: "HEVCMain422_12", 26: "HEVCMain444", 27: "HEVCMain444_10", 28: "HEVCMain444_12", 29: "HEVCSccMain",
        30: "HEVCSccMain10", 31: "HEVCSccMain444", 32: "AV1Profile0", 33: "AV1Profile1", 34: "HEVCSccMain444_10",
        35: "Protected", 36: "H264High10", 37: "VVCMain10", 38: "VVCMultilayerMain10",
    ]
}
