import Testing
import VTXJSON
import VTXMedia
import VTXSystem
import VTXTask

@testable import VTXCommand

@Suite("HandBrake presets")
struct HandBrakePresetTests {
    /// The fields of a HandBrake 1.8 preset that vtx reads.
    private static let fast = """
        {"PresetList": [{"Folder": true, "PresetName": "Mine", "ChildrenArray": [{
          "AudioLanguageList": ["any"], "AudioTrackSelectionBehavior": "first", "ChapterMarkers": true,
          "AudioList": [{"AudioBitrate": 160, "AudioEncoder": "av_aac", "AudioMixdown": "stereo"}],
          "ChildrenArray": [], "FileFormat": "av_mp4", "PictureCropMode": 0, "PictureWidth": 1920, "PictureHeight": 1080,
          "PictureDeinterlaceFilter": "decomb", "PictureDeinterlacePreset": "default", "PictureCombDetectPreset": "default",
          "PictureDenoiseFilter": "nlmeans", "PictureDenoisePreset": "ultralight", "PictureSharpenFilter": "off",
          "PictureRotate": "angle=90:hflip=1", "PresetName": "Fast 1080p30/CRF", "SubtitleBurnBehavior": "foreign",
          "SubtitleTrackSelectionBehavior": "first", "VideoEncoder": "x264", "VideoFramerate": "30",
          "VideoFramerateMode": "pfr", "VideoLevel": "4.0", "VideoPreset": "slow", "VideoProfile": "main",
          "VideoQualityType": 2, "VideoQualitySlider": 22.0, "VideoTune": "film",
          "VideoOptionExtra": "keyint=48:psy-rd=1.2,0.1"
        }]}], "VersionMajor": 60}
        """

    private func preset(_ fields: [String: JSONValue]) throws -> HandBrakePreset {
        var entry: [String: JSONValue] = [
            "PresetName": "P", "VideoEncoder": "x265", "AudioTrackSelectionBehavior": "all",
        ]
        entry["AudioList"] = [["AudioEncoder": "copy:aac"]]
        entry["SubtitleTrackSelectionBehavior"] = "all"
        entry["PictureDeinterlaceFilter"] = "decomb"
        entry.merge(fields) { $1 }
        return try #require(HandBrakePreset.all(in: ["PresetList": [.object(entry)]]).first)
    }

    @Test("become the settings of a request, and unsupported fields are named")
    func whole() throws {
        let preset = try #require(HandBrakePreset.all(in: JSONValue(parsing: Self.fast)).first)
        #expect(preset.fileName == "fast-1080p30-crf")
        #expect(
            preset.settings == [
                "codec": "h264", "hardware": "off", "profile": "main", "preset": "slow", "tune": "film",
                "quality": 72.5,
                "maxSize": "1920x1080", "crop": "auto", "denoise": "light",
                "rotate": 90, "flip": "vertical", "audio": "aac", "audioBitrate": 160_000,
                "audioChannels": "stereo", "audioStreams": "0", "format": "mp4",
            ])
        let request = try TranscodeRequest(input: "in", settings: TranscodeRequest.settings(preset.settings))
        #expect(request.quality?.rateFactor(for: .h264) == 22 && request.rotation != .none)
        let leftOut = [
            "VideoLevel", "VideoOptionExtra", "VideoFramerate 30", "nlmeans", "SubtitleBurnBehavior",
            "SubtitleTrackSelectionBehavior",
        ]
        #expect(preset.leftOut.count == leftOut.count)
        for word in leftOut { #expect(preset.leftOut.contains { $0.contains(word) }, "\(word)") }
    }

    @Test(
        "keep the rate factor with any codec",
        arguments: [("x264", 18.0), ("x265", 26), ("svt_av1_10bit", 35), ("qsv_h265", 0), ("x264", 60)])
    func rates(encoder: String, rateFactor: Double) throws {
        let preset = try preset(["VideoEncoder": .string(encoder), "VideoQualitySlider": .number(rateFactor)])
        let codec = try #require(preset.settings["codec"]?.string.flatMap(VideoCodec.init(rawValue:)))
        let quality = try #require(preset.settings["quality"]?.number.flatMap { Quality($0) })
        #expect(
            abs(quality.rateFactor(for: codec) - min(rateFactor, codec == .h264 ? 51 : 63)) < 0.1 || rateFactor == 0)
        #expect((preset.settings["hardware"] == "off") == !encoder.hasPrefix("qsv"))
    }

    @Test("set bit rates, constant frame rates and omitted streams")
    func others() throws {
        let settings = try preset([
            "VideoEncoder": "x265_10bit", "VideoQualityType": 1, "VideoAvgBitrate": 2500, "VideoFramerate": "23.976",
            "VideoFramerateMode": "cfr", "AudioList": [], "SubtitleTrackSelectionBehavior": "none",
            "ChapterMarkers": false, "PictureDeinterlaceFilter": "yadif", "PictureDeinterlacePreset": "bob",
        ]).settings
        #expect(
            settings == [
                "codec": "hevc", "hardware": "off", "profile": "main10", "bitrate": 2_500_000, "frameRate": "23.976",
                "audio": "none", "subtitleStreams": "none", "chapters": false, "deinterlace": "field",
            ])
        #expect(throws: Never.self) { try TranscodeRequest(input: "in", settings: TranscodeRequest.settings(settings)) }
    }

    @Test(
        "encode in two passes with x264 and x265, whatever the version of HandBrake",
        arguments: ["VideoMultiPass", "VideoTwoPass", "MultiPass"])
    func twoPasses(name: String) throws {
        func settings(_ encoder: JSONValue, _ value: JSONValue) throws -> [String: JSONValue] {
            try preset(["VideoEncoder": encoder, "VideoQualityType": 1, "VideoAvgBitrate": 2500, name: value]).settings
        }
        for encoder: JSONValue in ["x264", "x265_10bit"] {
            let settings = try settings(encoder, true)
            #expect(settings["twoPass"] == true && settings["bitrate"] == 2_500_000)
            let request = try TranscodeRequest(input: "in", settings: TranscodeRequest.settings(settings))
            #expect(request.usesTwoPasses)
        }
        #expect(try settings("x264", 1)["twoPass"] == true && settings("x264", false)["twoPass"] == nil)
        #expect(try settings("svt_av1", true)["twoPass"] == nil)
        let quality = try preset(["VideoQualitySlider": 22, name: true]).settings
        #expect(quality["twoPass"] == nil)
    }

    @Test("name fields with another meaning in vtx")
    func named() throws {
        let preset = try preset([
            "VideoEncoder": "nvenc_h264", "VideoQualityType": 1, "VideoAvgBitrate": 2500, "VideoMultiPass": true,
            "PictureWidth": 1280, "PictureHeight": 0, "PictureDenoiseFilter": "hqdn3d",
            "PictureDenoisePreset": "custom", "PicturePadMode": "black", "PictureKeepRatio": true,
            "SubtitleLanguageList": ["any"],
            "AudioList": [["AudioEncoder": "ca_haac", "AudioMixdown": "7point1", "AudioTrackGainSlider": 0.0]],
        ])
        let leftOut = [
            "VideoMultiPass", "PictureWidth", "PictureDenoiseCustom", "PicturePadMode", "ca_haac", "7point1",
        ]
        #expect(preset.leftOut.count == leftOut.count, "\(preset.leftOut)")
        for word in leftOut { #expect(preset.leftOut.contains { $0.contains(word) }, "\(word)") }
        #expect(preset.settings["denoise"] == nil && preset.settings["maxSize"] == nil)
    }

    @Test("have every track of an audio stream, or only the first stream's if set", arguments: [true, false])
    func audioTracks(isFirstAlone: Bool) throws {
        let preset = try preset([
            "AudioList": [
                ["AudioEncoder": "av_aac", "AudioBitrate": 160, "AudioMixdown": "stereo"],
                ["AudioEncoder": "copy:ac3", "AudioBitrate": 640],
            ],
            "AudioSecondaryEncoderMode": .bool(isFirstAlone),
        ])
        #expect(
            preset.settings["audioTrack"] == ["all:aac:bitrate=160000:channels=stereo", isFirstAlone ? "0" : "all"])
        #expect(preset.settings["audio"] == nil && preset.leftOut.isEmpty, "\(preset.leftOut)")
        let request = try TranscodeRequest(input: "in", settings: TranscodeRequest.settings(preset.settings))
        #expect(request.audioTracks.count == 2)
    }

    @Test("keep only the first audio stream if they say so, unless it is the first in a language")
    func firstAudio() throws {
        func audio(_ fields: [String: JSONValue]) throws -> HandBrakePreset {
            try preset(["AudioTrackSelectionBehavior": "first"].merging(fields) { $1 })
        }
        #expect(try audio([:]).settings["audioStreams"] == "0")
        let tracks: JSONValue = [["AudioEncoder": "av_aac"], ["AudioEncoder": "copy:ac3"]]
        #expect(try audio(["AudioList": tracks]).settings["audioTrack"] == ["0:aac", "0"])
        let german = try audio(["AudioLanguageList": ["deu"]])
        #expect(german.settings["audioStreams"] == nil)
        #expect(german.leftOut.contains { $0.hasPrefix("AudioTrackSelectionBehavior first") })
    }

    @Test("name what is dropped of 12 bits, of audio quality and of the source's rate as a constant one")
    func silentLosses() throws {
        let preset = try preset([
            "VideoEncoder": "x265_12bit", "VideoProfile": "main12", "VideoFramerate": "auto",
            "VideoFramerateMode": "cfr",
            "AudioList": [
                [
                    "AudioEncoder": "av_aac", "AudioTrackQualityEnable": true, "AudioTrackQuality": 3.0,
                    "AudioBitrate": 160,
                ]
            ],
        ])
        #expect(preset.settings["profile"] == "main10")
        #expect(preset.settings["audio"] == "aac" && preset.settings["audioBitrate"] == nil)
        let leftOut = ["x265_12bit", "VideoFramerateMode cfr", "AudioTrackQuality 3.0"]
        #expect(preset.leftOut.count == leftOut.count, "\(preset.leftOut)")
        for word in leftOut { #expect(preset.leftOut.contains { $0.contains(word) }, "\(word)") }
    }

    @Test(
        "keep the preset of a software encoder, and take the nearest speed of others",
        arguments: [
            ("x264", "veryslow", "veryslow"), ("x265_10bit", "ultrafast", "ultrafast"), ("svt_av1_10bit", "4", 4),
            ("x264", "fast", nil), ("x264", "medium", nil), ("svt_av1", "-1", "quality"), ("nvenc_h265", "p1", "fast"),
            ("qsv_h264", "veryslow", "quality"),
        ] as [(String, String, JSONValue?)])
    func speeds(encoder: String, word: String, wanted: JSONValue?) throws {
        let settings = try preset(["VideoEncoder": .string(encoder), "VideoPreset": .string(word)]).settings
        #expect(settings["preset"] == wanted)
        let request = try TranscodeRequest(input: "in", settings: TranscodeRequest.settings(settings))
        #expect((request.encoderPreset ?? request.preset.rawValue) == wanted.map { $0.string ?? $0.text } ?? "balanced")
        #expect(request.bitDepth == (encoder == "svt_av1_10bit" ? 10 : nil))
    }

    @Test("name x264's fast, which has another meaning in vtx")
    func fastOfX264() throws {
        #expect(
            try preset(["VideoEncoder": "x264", "VideoPreset": "fast"]).leftOut
                == ["VideoPreset fast: vtx's balanced, which is medium, replaces it"])
        #expect(try preset(["VideoEncoder": "nvenc_h265", "VideoPreset": "fast"]).leftOut.isEmpty)
    }

    @Test("have valid file names, with any preset name")
    func names() throws {
        let names = ["A One", "a-one", "...", "A one"]
        let entries = names.map { JSONValue.object(["PresetName": .string($0), "VideoEncoder": "x264"]) }
        let presets = HandBrakePreset.all(in: ["PresetList": .array(entries)])
        #expect(HandBrakePreset.fileNames(of: presets) == ["a-one", "a-one-2", "preset", "a-one-3"])
    }

    @Test("are not found in other files", arguments: ["{}", "[]", #"{"PresetList": [{"PresetName": "x"}]}"#])
    func none(text: String) throws { #expect(HandBrakePreset.all(in: try JSONValue(parsing: text)).isEmpty) }
}
