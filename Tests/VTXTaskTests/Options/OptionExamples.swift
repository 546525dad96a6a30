import VTXJSON
import VTXMedia

@testable import VTXTask

/// Values of an option as text: allowed ones, including both bounds, and values just beyond.
struct OptionExamples: Sendable {
    var good: [String]
    var bad: [String]
    /// The options that it requires.
    var beside: Settings = [:]

    static let all: [OptionName: OptionExamples] = coding.merging(picture) { $1 }.merging(rest) { $1 }

    private static let rate = OptionExamples(
        good: ["1000", "1000000000"], bad: ["999", "1000000001", "-5000", "5Mbps"])
    private static let size = OptionExamples(
        good: ["2x2", "16384x16384", "1280x", "x720"],
        bad: ["1x2", "2x1", "16385x2", "2x16385", "x", "1280", "1280*720"])
    private static let frameRate = OptionExamples(
        good: ["0.5", "1000", "29.97", "30000/1001"], bad: ["0", "1001", "-25", "25fps"])
    private static let streams = OptionExamples(
        good: ["all", "none", "0,2,eng"], bad: ["", "0,", "english!", "-1"])
    private static let additions = OptionExamples(
        good: [
            "movie.de.srt", "a:b.srt:language=de", "a.mka\nb.mka:language=deu:title=A: B:default",
            "a.srt:title=",
        ],
        bad: ["", "-", "a.srt:language=x", "a.srt:language=", "a.srt:default:loud", "a\u{01}", ":default"])
    private static let switches = OptionExamples(good: ["true", "false"], bad: ["no", "1", ""])

    private static let coding: [OptionName: OptionExamples] = [
        .codec: .init(good: ["hevc", "h264"], bad: ["vp9", "HEVC", ""]),
        .quality: .init(good: ["0", "100", "62.5"], bad: ["-1", "100.1", "101", "best"]),
        .bitrate: rate, .maxBitrate: rate,
        .twoPass: .init(good: switches.good, bad: switches.bad, beside: [.bitrate: "1000000"]),
        .targetSize: .init(good: ["10000", "1000000000000"], bad: ["9999", "25MB", "-1", ""]),
        .target: .init(
            good: ["ssim=0.985", "ssim=0.5", "ssim=0.9999", "psnr=20", "psnr=70", "xpsnr=42.5", "vmaf=95"],
            bad: ["ssim=1", "ssim=0.49", "psnr=71", "vmaf=100", "mos=4", "ssim", "ssim=", "ssim=0.9=1", "0.985", ""]),
        .preset: .init(
            good: ["fast", "balanced", "quality", "ultrafast", "placebo", "0", "13"], bad: ["quick", "14", "-1", ""]),
        .bitDepth: .init(good: ["8", "10"], bad: ["12", "0", "ten", ""]),
        .tune: .init(good: ["film", "animation", "grain", "still-image"], bad: ["stillimage", ""]),
        .encoderOptions: .init(
            good: ["aq-mode=3", "psy-rd=1.0,0.15:deblock=-1,-1", "8x8dct=0"],
            bad: ["", "aq-mode", "aq-mode=", "=3", "aq-mode=3:", "a=b=c", "a=1:a=2", "a b=1", "a='1'"]),
        .profile: .init(good: ["baseline", "high444", "main10", "h264-main", "hevc-main"], bad: ["simple", ""]),
        .keyFrameInterval: .init(
            good: ["1", "100000", "0.04s", "3600s", "120,5s"], bad: ["0", "100001", "0s", "3601s", "5s,5s", "often"]),
        .bFrames: switches,
        .parallel: .init(
            good: ["auto", "1", "64", "2+1"], bad: ["0", "65", "all", "-1", "1.5", "+1", "2+", "2+0", "1+2+3"]),
        .segments: .init(good: ["auto", "1", "64"], bad: ["0", "65", "all", "-1", "1.5", "2+1", ""]),
    ]

    private static let picture: [OptionName: OptionExamples] = [
        .crop: .init(
            good: ["auto", "1920x800+0+140", "2x2+16384+0"], bad: ["", "1920x800", "1920x800-1+0", "0x2+0+0", "all"]),
        .rotate: .init(good: ["0", "90", "180", "270"], bad: ["45", "-90", "left"]),
        .flip: .init(good: ["horizontal", "vertical"], bad: ["h", ""]),
        .size: size, .maxSize: size,
        .scaling: .init(good: ["letterbox", "trim", "fill"], bad: ["stretch"], beside: [.size: "640x360"]),
        .frameRate: frameRate, .deinterlace: .init(good: ["auto", "on", "off", "field", "telecine"], bad: ["yes"]),
        .filter: .init(good: ["hue=s=0", "a=b,c"], bad: ["", "a\u{01}"]),
        .burnSubtitles: .init(
            good: ["0", "12", "eng", "en", "movie.srt", "./subtitles"], bad: ["-1", "english", "0,1", ""]),
        .denoise: .init(good: ["light", "medium", "strong"], bad: ["weak", ""]),
        .sharpen: .init(good: ["light", "medium", "strong"], bad: ["0.5"]),
        .dynamicRange: .init(good: ["keep", "sdr"], bad: ["hdr"]), .rotatePixels: switches,
        .hardware: .init(good: ["auto", "require", "off"], bad: ["on"]),
        .device: .init(
            good: ["auto", "/dev/dri/renderD128", "pci:0000:03:00.0", "vendor:intel"], bad: ["gpu0", "pci:", "/", ""]),
        .lowPower: .init(good: ["auto", "on", "off"], bad: ["yes"]),
        .asyncDepth: .init(good: ["1", "64"], bad: ["0", "65", "1.5"]),
        .bDepth: .init(good: ["1", "3"], bad: ["0", "4"]), .failOnFallback: switches,
    ]

    private static let rest: [OptionName: OptionExamples] = [
        .audio: .init(good: ["copy", "none", "aac", "opus"], bad: ["vorbis", ""]),
        .hls: switches, .dash: switches,
        .ladder: .init(
            good: ["auto", "1080:5M", "4320:1G,96:10k", "720:3M,720:2000k"],
            bad: ["", "none", "1080", "1080:", "95:1M", "4321:1M", "720:9k", "720:3M,720:3000k", "720:3M,", "720p:3M"]),
        .segmentDuration: .init(good: ["1", "60"], bad: ["0", "61", "1.5"], beside: [.hls: "true"]),
        .audioChannels: .init(good: ["mono", "stereo", "5.1"], bad: ["2", "7.1", ""]),
        .loudness: .init(good: ["-40", "-16", "-8"], bad: ["-41", "-7", "16", "-16.5", "-", ""]),
        .audioTrack: .init(
            good: ["all", "0,eng:copy", "0:aac:channels=stereo:bitrate=160000:title=a: b:default"],
            bad: ["", "none", "0:vorbis", "0:bitrate=5", "0:copy:loudness=-16"]),
        .audioBitrate: .init(good: ["6000", "10000000"], bad: ["5999", "10000001"]),
        .videoStream: .init(good: ["0", "999"], bad: ["-1", "1000"]),
        .audioStreams: streams, .subtitleStreams: streams, .dataStreams: streams, .attachments: streams,
        .otherVideo: streams,
        .addAudio: additions, .addSubtitles: additions,
        .copyVideo: switches, .chapters: switches, .metadata: switches, .inputFrameRate: frameRate,
        .start: .init(good: ["0", "12.5", "35999999"], bad: ["-1", "36000000", "1:60"]),
        .duration: .init(good: ["0.001", "35999999"], bad: ["0", "36000000", "0:00"]),
        .timestamps: .init(good: ["auto", "source", "zero"], bad: ["one"]),
        .overwrite: .init(good: ["refuse", "skip", "replace"], bad: ["yes"]),
        .format: .init(good: ["mp4", "mkv", "hevc"], bad: ["h265", "avi", ".mp4", ""]), .fragmented: switches,
        .replace: switches,
        .skipCodecs: .init(
            good: ["none", "auto", "hevc", "hevc,av1"], bad: ["", "hevc,", "h265", "hevc,hevc", "hevc,auto"]),
        .verify: .init(good: ["full", "sample", "off"], bad: ["yes", "none"]),
        .maxSizeRatio: .init(good: ["0.01", "0.95", "10"], bad: ["0", "-1", "10.1", "95%"]),
        .failOnDowngrade: switches,
    ]
}
