import Testing
import VTXConformance
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTestMedia

@testable import VTXSoftware

@Suite("The contract's settings as encoder options")
struct OptionTests {
    private func value(_ name: String, of options: [(String, String)]) -> String? {
        options.first { $0.0 == name }?.1
    }

    @Test(
        "presets",
        arguments: [
            (EncoderPreset.fast, "veryfast", "veryfast"), (.balanced, "medium", "medium"), (.quality, "slower", "slow"),
        ])
    func presets(preset: EncoderPreset, x264: String, x265: String) {
        #expect(X264Options.preset(preset) == x264 && X265Options.preset(preset) == x265)
    }

    @Test(
        "a preset under the encoder's own name is used as it is",
        arguments: [(VideoCodec.h264, "slow"), (.hevc, "ultrafast"), (.av1, "12")])
    func ownPresets(codec: VideoCodec, name: String) {
        let configuration = Conformance.configuration(codec) { $0.presetName = name }
        #expect(value("preset", of: VideoEncoderSettings(configuration).options) == name)
    }

    @Test("real time uses fast instead of balanced")
    func realTime() {
        func preset(_ codec: VideoCodec, _ preset: EncoderPreset) -> String? {
            let configuration = Conformance.configuration(codec) { ($0.preset, $0.isRealTime) = (preset, true) }
            return value("preset", of: VideoEncoderSettings(configuration).options)
        }
        #expect(preset(.h264, .balanced) == "veryfast" && preset(.hevc, .balanced) == "veryfast")
        #expect(preset(.h264, .quality) == "slower")
    }

    @Test("the content type is x264's and x265's tune; real time overrides it")
    func tunings() {
        func tune(_ codec: VideoCodec, _ tuning: EncoderTuning?, isRealTime: Bool = false) -> String? {
            let configuration = Conformance.configuration(codec) {
                ($0.tuning, $0.isRealTime) = (tuning, isRealTime)
            }
            return value("tune", of: VideoEncoderSettings(configuration).options)
        }
        #expect(EncoderTuning.allCases.map { tune(.h264, $0) } == ["film", "animation", "grain", "stillimage"])
        #expect(tune(.hevc, .grain) == "grain" && tune(.h264, nil) == nil && tune(.hevc, nil) == nil)
        #expect(tune(.h264, .film, isRealTime: true) == "zerolatency")
    }

    @Test("temporal layers fix the B frames; a replacement for an encoder without them has none")
    func temporalLayers() {
        func parameters(_ codec: VideoCodec, maxReorderDepth: Int?) -> String {
            let configuration = Conformance.configuration(codec) {
                ($0.hasTemporalLayers, $0.maxReorderDepth) = (true, maxReorderDepth)
            }
            let options = VideoEncoderSettings(configuration).options
            return value(codec == .h264 ? "x264-params" : "x265-params", of: options) ?? ""
        }
        for codec in VideoCodec.ofNALUnits {
            #expect(parameters(codec, maxReorderDepth: nil).contains("bframes=1:b-adapt=0"))
            #expect(parameters(codec, maxReorderDepth: 1).contains("bframes=1:b-adapt=0"))
            #expect(!parameters(codec, maxReorderDepth: 0).contains("bframes"))
        }
    }

    @Test(
        "a short key frame interval does not change x264's scene cuts",
        arguments: [(250, nil), (300, nil), (125, "23"), (50, "13"), (1, "10")] as [(Int, String?)])
    func sceneCuts(interval: Int, threshold: String?) {
        func used(_ options: [EncoderOption] = []) -> String? {
            let configuration = Conformance.configuration(.h264) {
                ($0.maxKeyFrameInterval, $0.options) = (interval, options)
            }
            let all = value("x264-params", of: VideoEncoderSettings(configuration).options)
            return all?.split(separator: ":").last { $0.hasPrefix("scenecut=") }.map { String($0.dropFirst(9)) }
        }
        #expect(used() == threshold && used([EncoderOption("scenecut", "33")]) == "33")
    }

    @Test("parameter sets are equal for all qualities if required", arguments: VideoCodec.ofNALUnits)
    func parameterSets(codec: VideoCodec) throws {
        let sets = try [20.0, 50, 90].map { quality in
            let configuration = Conformance.configuration(codec) {
                ($0.hasUniformParameterSets, $0.usesGlobalHeader) = (true, true)
                $0.rateControl = .quality(Quality(quality) ?? .standard)
            }
            return try SoftwareEncoder(configuration).parameters.extradata
        }
        #expect(Set(sets).count == 1 && sets.first?.isEmpty == false)
    }

    @Test("a level is passed to the encoder, with allowed coding tree units")
    func level() {
        func options(_ codec: VideoCodec, _ level: VideoLevel) -> [(String, String)] {
            VideoEncoderSettings(
                Conformance.configuration(codec) { ($0.level, $0.size) = (level, PixelSize(160, 96)) }
            ).options
        }
        #expect(value("level", of: options(.h264, 3.1)) == "3.1")
        #expect(value("x265-params", of: options(.hevc, 4))?.contains("level-idc=4:high-tier=0") == true)
        #expect(value("x265-params", of: options(.hevc, 4.1))?.contains("ctu=16") == true)
        #expect(value("x265-params", of: options(.hevc, 5))?.contains("ctu=32") == true)
    }

    @Test("a maximum lowers the average, and SVT-AV1 does not support both")
    func limitedAverage() throws {
        for codec in VideoCodec.allCases {
            let configuration = Conformance.configuration(codec) {
                $0.rateControl = .bitrate(average: 1_000_000, max: 1_000_000)
            }
            let settings = VideoEncoderSettings(configuration)
            let most = try #require(configuration.vbv?.bitrate)
            #expect(settings.bitrate == most && settings.maxBitrate == (codec == .av1 ? nil : most))
        }
        let av1 = Conformance.configuration(.av1) { $0.rateControl = .bitrate(average: 800_000, max: 800_000) }
        _ = try SoftwareEncoder(av1)
    }

    @Test("each encoder accepts the tunings that it lists", arguments: VideoCodec.allCases)
    func listedTunings(codec: VideoCodec) throws {
        for row in SoftwareCapabilities.matrix.encoders where row.codec == codec {
            for tuning in row.tunings {
                let configuration = Conformance.configuration(codec) {
                    ($0.tuning, $0.profile, $0.pixelFormat) = (tuning, row.profile, Self.format(of: row.profile))
                }
                #expect(throws: Never.self) { _ = try SoftwareEncoder(configuration) }
            }
        }
    }

    private static func format(of profile: VideoProfile) -> PixelFormat {
        .planar(profile.maxChroma, bitDepth: profile.maxBitDepth)
    }

    @Test("vtx's options override the user's encoder options", arguments: VideoCodec.allCases)
    func ownOptions(codec: VideoCodec) throws {
        let names = [VideoCodec.h264: "x264-params", .hevc: "x265-params", .av1: "svtav1-params"]
        let configuration = Conformance.configuration(codec) {
            $0.options = [EncoderOption("aq-mode", "1"), EncoderOption("ctu", "32")]
        }
        let text = value(try #require(names[codec]), of: VideoEncoderSettings(configuration).options)
        #expect(try #require(text).hasPrefix("aq-mode=1:ctu=32"))
    }

    @Test(
        "an invalid value is an error, although libavcodec only warns",
        arguments: [(VideoCodec.h264, "subme", "much"), (.hevc, "psy-rd", "x"), (.av1, "film-grain", "x")])
    func badValues(codec: VideoCodec, name: String, value: String) {
        let configuration = Conformance.configuration(codec) { $0.options = [EncoderOption(name, value)] }
        #expect(throws: SessionError.self) { _ = try SoftwareEncoder(configuration) }
    }

    /// A failure is a hang: SVT-AV1 (1.4) waits forever for a first frame.
    @Test("an encoder closed before its first frame does not wait", arguments: VideoCodec.allCases)
    func unused(codec: VideoCodec) throws { _ = try SoftwareEncoder(Conformance.configuration(codec)) }

    @Test("each encoder knows the options that it lists", arguments: [VideoCodec.h264, .hevc])
    func listedOptions(codec: VideoCodec) throws {
        let numbers = [
            "me": "hex", "direct": "auto", "partitions": "all", "deblock": "0,0", "ctu": "32", "qg-size": "32",
            "rc-lookahead": "20",
            "min-cu-size": "8",
        ]
        for name in EncoderOptionNames.of(codec) {
            let value = numbers[name] ?? (name == "qpmax" ? "51" : name.hasPrefix("max-tu") ? "32" : "1")
            let configuration = Conformance.configuration(codec) { $0.options = [EncoderOption(name, value)] }
            #expect(throws: Never.self, "\(name)") { _ = try SoftwareEncoder(configuration) }
        }
    }

    @Test("quality becomes a rate factor", arguments: [(70.0, "23", "26"), (71, "22.6", "25.6"), (0, "51", "51")])
    func quality(value: Double, x264: String, x265: String) throws {
        let quality = RateControl.quality(try #require(Quality(value)))
        let h264 = X264Options.all(for: Conformance.configuration(.h264) { $0.rateControl = quality })
        let hevc = X265Options.all(for: Conformance.configuration(.hevc) { $0.rateControl = quality })
        #expect(self.value("crf", of: h264) == x264 && self.value("crf", of: hevc) == x265)
    }

    @Test("a quality keeps its rate factor with a limit", arguments: VideoCodec.ofNALUnits)
    func limitedQuality(codec: VideoCodec) {
        let configuration = Conformance.configuration(codec) { $0.rateControl = .quality(.standard, max: 1_500_000) }
        let settings = VideoEncoderSettings(configuration)
        #expect(value("crf", of: settings.options) == (codec == .h264 ? "23" : "26"))
        #expect(settings.bitrate == nil && settings.maxBitrate == configuration.vbv?.bitrate)
        #expect(settings.bufferSize == configuration.vbv?.bufferSize && settings.bufferSize != nil)
    }

    @Test(
        "x265 disables cutree below 64 pixels, and has coding tree units within the picture",
        arguments: [
            (PixelSize(64, 64), nil, nil), (PixelSize(62, 64), "0", nil), (PixelSize(64, 16), "0", nil),
            (PixelSize(30, 200), "0", 600_000), (PixelSize(320, 180), nil, 600_000),
        ] as [(PixelSize, String?, Int?)])
    func smallPictures(size: PixelSize, tree: String?, limit: Int?) throws {
        let configuration = Conformance.configuration(.hevc) {
            $0.size = size
            $0.rateControl = .quality(.standard, max: limit)
        }
        let parameters = try #require(value("x265-params", of: X265Options.all(for: configuration)))
        #expect(parameters.contains("cutree=0") == (tree == "0"))
        let unit = parameters.split(separator: ":").first { $0.hasPrefix("ctu=") }.flatMap { Int($0.dropFirst(4)) }
        #expect((unit != nil) == (limit != nil) && (unit ?? 0) <= min(size.width, size.height))
    }

    @Test("no rate factor with a bit rate", arguments: VideoCodec.ofNALUnits)
    func bitrate(codec: VideoCodec) {
        let configuration = Conformance.configuration(codec) {
            $0.rateControl = .bitrate(average: 1_000_000, max: 1_500_000)
        }
        let settings = VideoEncoderSettings(configuration)
        #expect(value("crf", of: settings.options) == nil)
        #expect(settings.bitrate == 1_000_000)
        let vbv = configuration.vbv
        #expect(settings.maxBitrate == vbv?.bitrate && settings.bufferSize == vbv?.bufferSize)
    }

    @Test("the requested number of threads, or the encoder's default", arguments: VideoCodec.allCases)
    func threads(codec: VideoCodec) {
        let standard = VideoEncoderSettings(Conformance.configuration(codec))
        #expect(standard.threads == 0 && !standard.ffmpegArguments.contains("-threads"))
        let settings = VideoEncoderSettings(Conformance.configuration(codec) { $0.threads = 3 })
        #expect(settings.threads == 3 && settings.ffmpegArguments.contains("-threads"))
        let parameters = value("\(codec == .hevc ? "x265" : "x264")-params", of: settings.options) ?? ""
        #expect(parameters.split(separator: ":").contains("pools=3") == (codec == .hevc))
    }

    @Test("HDR10's metadata in the bitstream's units")
    func hdr() throws {
        let hevc = X265Options.all(for: Conformance.configuration(.hevc) { $0.hdrMetadata = .sample })
        let parameters = try #require(value("x265-params", of: hevc)).split(separator: ":")
        #expect(
            parameters.contains(
                "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)"))
        #expect(parameters.contains("max-cll=1000,400") && parameters.contains("hdr10=1"))
    }

    @Test("the ffmpeg command has the same options", arguments: VideoCodec.ofNALUnits)
    func command(codec: VideoCodec) {
        let arguments = SoftwareSession().ffmpegArguments(for: Conformance.configuration(codec), in: nil)
        #expect(arguments.starts(with: ["-c:v", codec == .h264 ? "libx264" : "libx265"]))
        #expect(arguments.contains("-b:v") && arguments.contains("1000000") && arguments.contains("-g"))
    }
}
