import VTXLibVA
import VTXMedia

/// Which streams a `VAProfile` with the entrypoint VLD decodes: libavcodec's name of the codec, and the samples.
struct DecodableProfile {
    var profile: Profile
    var codec: String
    var chroma: ChromaSampling = .yuv420
    var bitDepth = 8

    /// By va.h's numbers; libavcodec's `vaapi_decode.c` pairs the same.
    static let table: [DecodableProfile] = [
        DecodableProfile(profile: Profile(rawValue: 0), codec: "mpeg2video"),
        DecodableProfile(profile: Profile(rawValue: 1), codec: "mpeg2video"),
        DecodableProfile(profile: Profile(rawValue: 10), codec: "vc1"),
        DecodableProfile(profile: Profile(rawValue: 10), codec: "wmv3"),
        DecodableProfile(profile: .h264ConstrainedBaseline, codec: "h264"),
        DecodableProfile(profile: .h264Main, codec: "h264"),
        DecodableProfile(profile: .h264High, codec: "h264"),
        DecodableProfile(profile: Profile(rawValue: 14), codec: "vp8"),
        DecodableProfile(profile: .hevcMain, codec: "hevc"),
        DecodableProfile(profile: .hevcMain10, codec: "hevc", bitDepth: 10),
        DecodableProfile(profile: Profile(rawValue: 19), codec: "vp9"),
        DecodableProfile(profile: Profile(rawValue: 21), codec: "vp9", bitDepth: 10),
        DecodableProfile(profile: Profile(rawValue: 32), codec: "av1"),
        DecodableProfile(profile: Profile(rawValue: 32), codec: "av1", bitDepth: 10),
    ]
}
