import FoundationEssentials
import Testing
import VTXJSON
import VTXMedia

@testable import VTXTask

@Suite("The option catalogue")
struct OptionCatalogueTests {
    @Test("has each name once")
    func names() {
        let names = OptionCatalogue.options.map(\.name)
        #expect(Set(names).count == names.count)
        // Options that are not part of a request.
        #expect(
            Set(names)
                == Set(OptionName.allCases).subtracting([
                    .parameterSets, .dropDelimiters, .journal, .restart, .workDirectory, .outputDirectory,
                ]))
    }

    @Test("an empty request has no settings")
    func empty() throws {
        #expect(TranscodeRequest(input: "in.mkv").settings.isEmpty)
        #expect(JSONLine.text(TranscodeRequest(input: "in.mkv")) == "{\"input\":\"in.mkv\",\"settings\":{}}\n")
    }

    private static let settings: Settings = [
        .codec: "hevc", .lowPower: "off", .asyncDepth: "8", .bDepth: "2", .inputFrameRate: "25", .bitrate: "5000000",
        .maxBitrate: "7500000", .preset: "fast", .tune: "grain", .encoderOptions: "aq-mode=3:psy-rd=1.5",
        .profile: "main10",
        .keyFrameInterval: "120,5s", .bFrames: "false",
        .crop: "1280x536+0+92", .rotate: "90", .flip: "vertical", .size: "1279x719", .scaling: "trim",
        .frameRate: "30000/1001", .deinterlace: "on", .burnSubtitles: "eng", .denoise: "light", .filter: "hue=s=0",
        .sharpen: "strong",
        .dynamicRange: "sdr",
        .rotatePixels: "true",
        .hardware: "require", .device: "pci:0000:03:00.0", .failOnFallback: "true", .audio: "eac3",
        .audioBitrate: "192000", .audioChannels: "stereo", .loudness: "-16", .videoStream: "1", .otherVideo: "none",
        .audioStreams: "0,eng",
        .subtitleStreams: "none",
        .dataStreams: "1", .attachments: "none", .chapters: "false", .metadata: "false", .start: "90",
        .duration: "12.5", .timestamps: "zero", .overwrite: "skip", .format: "mov", .fragmented: "true",
        .failOnDowngrade: "true",
        .verify: "full",
    ]

    @Test("settings are equal after a round trip through a request")
    func roundTrip() throws {
        let request = try TranscodeRequest(input: "a", output: "b", settings: Self.settings)
        #expect(request.settings == Self.settings)
        #expect(request.rateControl == .bitrate(average: 5_000_000, max: 7_500_000) && request.profile == .main10)
        #expect(request.selection.audio == .only([.position(0), .language("eng")]) && request.start == 90)
        let line = JSONLine.text(request)
        #expect(try JSONLine.value(TranscodeRequest.self, from: line) == request)
    }

    @Test("JSON has numbers and booleans")
    func kinds() throws {
        let settings = try TranscodeRequest(input: "a", settings: Self.settings).jsonSettings
        #expect(settings["bitrate"] == 5_000_000 && settings["chapters"] == false && settings["start"] == 90)
        #expect(settings["duration"] == .number(12.5) && settings["size"] == "1279x719")
        let text = #"{"input":"a","settings":{"bitrate":"5M","frameRate":29.97,"chapters":true}}"#
        let request = try JSONLine.value(TranscodeRequest.self, from: text)
        #expect(request.bitrate == 5_000_000 && request.frameRate == Rational(30000, 1001))
        #expect(request.selection.keepsChapters)
    }

    @Test("each value as text makes a request whose JSON makes the same request", arguments: OptionCatalogue.options)
    func identity(option: RequestOption) throws {
        let examples = try #require(OptionExamples.all[option.name])
        for text in examples.good {
            let request = try TranscodeRequest(
                input: "a", settings: examples.beside.merging([option.name: text]) { $1 })
            let again = try JSONLine.value(TranscodeRequest.self, from: JSONLine.text(request))
            #expect(again == request, "\(option.name) \(text)")
            let settings = try TranscodeRequest.settings(request.jsonSettings)
            #expect(settings == request.settings, "\(option.name) \(text)")
            #expect(OptionCatalogue.problems(in: request.jsonSettings).isEmpty, "\(option.name) \(text)")
        }
    }

    @Test("a default is omitted from the JSON", arguments: OptionCatalogue.options)
    func defaults(option: RequestOption) throws {
        guard let text = option.defaultText else { return }
        let beside = try #require(OptionExamples.all[option.name]).beside
        let request = try TranscodeRequest(input: "a", settings: beside.merging([option.name: text]) { $1 })
        #expect(request.jsonSettings[option.name.rawValue] == nil)
    }

    @Test(
        "out-of-range values are refused as text and in JSON, with the same message",
        arguments: OptionCatalogue.options)
    func bounds(option: RequestOption) throws {
        let examples = try #require(OptionExamples.all[option.name])
        for text in examples.bad {
            let asText = #expect(throws: TranscodeError.self) {
                try TranscodeRequest(input: "a", settings: examples.beside.merging([option.name: text]) { $1 })
            }
            let value = (try? JSONValue(parsing: text)) ?? .string(text)
            let asJSON = #expect(throws: TranscodeError.self) {
                try TranscodeRequest.settings([option.name.rawValue: value])
            }
            #expect(asText?.kind == .badValue && asText == asJSON, "\(option.name) \(text)")
            #expect(asText?.message.contains(option.value.expected) == true, "\(asText?.message ?? "")")
            let problems = OptionCatalogue.problems(in: [option.name.rawValue: value])
            #expect(problems.map(\.name) == [option.name.rawValue])
        }
    }

    @Test("a value of another type than the schema's is refused")
    func types() {
        let wrong: [String: JSONValue] = [
            "quality": "70", "bFrames": "true", "videoStream": "1", "codec": 264, "size": 1280, "preset": nil,
        ].mapValues { $0 ?? .null }
        #expect(OptionCatalogue.problems(in: wrong).map(\.name) == wrong.keys.sorted())
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        var settings: String
        var kind: ErrorKind
        var words: String
        var testDescription: String { settings }
    }

    @Test(
        "an error names the value and the allowed ones",
        arguments: [
            Bad(settings: #"{"hardwre":"off"}"#, kind: .unknownOption, words: "'hardwre'"),
            Bad(settings: #"{"size":"1x1"}"#, kind: .badValue, words: "each from 2 to 16384"),
            Bad(settings: #"{"size":[1,2]}"#, kind: .badValue, words: "size: '[1,2]"),
            Bad(settings: #"{"quality":101}"#, kind: .badValue, words: "from 0 to 100"),
            Bad(settings: #"{"quality":70,"bitrate":5000000}"#, kind: .conflict, words: "quality and bitrate"),
            Bad(settings: #"{"scaling":"fill"}"#, kind: .needsOption, words: "scaling needs size"),
            Bad(settings: #"{"size":"1280x","maxSize":"x720"}"#, kind: .conflict, words: "size and maxSize"),
            Bad(settings: #"{"bitrate":5000000,"maxBitrate":4000000}"#, kind: .conflict, words: "is less than"),
            Bad(settings: #"{"copyVideo":true,"codec":"av1"}"#, kind: .conflict, words: "copyVideo and codec=av1"),
            Bad(settings: #"{"replace":true,"overwrite":"skip"}"#, kind: .conflict, words: "and overwrite=skip"),
            Bad(settings: #"{"profile":"main"}"#, kind: .conflict, words: "several codecs"),
            Bad(settings: #"{"codec":"h264","profile":"main10"}"#, kind: .profile, words: "baseline, main, high"),
            Bad(settings: #"{"hardware":"off","failOnFallback":true}"#, kind: .conflict, words: "contradict"),
            Bad(settings: #"{"hardware":"off","asyncDepth":8}"#, kind: .conflict, words: "asyncDepth and hardware=off"),
            Bad(settings: #"{"size":"1280x","scaling":"fill"}"#, kind: .conflict, words: "scaling and size=1280x"),
            Bad(settings: #"{"start":1,"timestamps":"source"}"#, kind: .conflict, words: "timestamps=source"),
            Bad(settings: #"{"audio":"none","audioStreams":"0"}"#, kind: .conflict, words: "audio=none"),
            Bad(settings: #"{"audio":"none","audioBitrate":64000}"#, kind: .conflict, words: "audioBitrate"),
            Bad(
                settings: #"{"profile":"baseline","encoderOptions":"bframes=3"}"#, kind: .conflict, words: "baseline"),
            Bad(settings: #"{"hls":true,"bitrate":5000000}"#, kind: .conflict, words: "hls and bitrate"),
            Bad(settings: #"{"dash":true,"codec":"av1"}"#, kind: .conflict, words: "dash and codec=av1"),
            Bad(settings: #"{"ladder":"auto","audio":"opus"}"#, kind: .conflict, words: "ladder and audio=opus"),
            Bad(settings: #"{"segmentDuration":4}"#, kind: .needsOption, words: "segmentDuration needs hls"),
            Bad(settings: #"{"bFrames":false,"encoderOptions":"bframes=3"}"#, kind: .conflict, words: "bFrames"),
        ])
    func wrong(bad: Bad) {
        let error = #expect(throws: TranscodeError.self) {
            try JSONLine.value(TranscodeRequest.self, from: "{\"input\":\"a\",\"settings\":\(bad.settings)}")
        }
        #expect(error?.kind == bad.kind && error?.message.contains(bad.words) == true, "\(error?.message ?? "")")
    }

    @Test("unknown names and values get the nearest known one")
    func nearest() {
        let unknown = #expect(throws: TranscodeError.self) { try TranscodeRequest.settings(["hardwre": "off"]) }
        #expect(unknown?.hint?.contains("'hardware'") == true)
        let word = #expect(throws: TranscodeError.self) {
            try TranscodeRequest(input: "a", settings: [.preset: "quick"])
        }
        #expect(word?.kind == .badValue)
    }

    @Test("a program's request is checked against the same bounds")
    func library() {
        var request = TranscodeRequest(input: "a")
        request.frameRate = Rational(5000, 1)
        let error = #expect(throws: TranscodeError.self) { try request.check() }
        #expect(error?.kind == .badValue && error?.message.contains("up to 1000") == true)
    }

    @Test("the schema has every option, with its type, default and help")
    func schema() throws {
        let properties = try #require(OptionCatalogue.schema["properties"]?.object)
        #expect(Set(properties.keys) == Set(OptionCatalogue.options.map(\.name.rawValue)))
        for (name, property) in properties {
            #expect(property["type"] != nil || property["enum"] != nil, "\(name)")
            #expect(property["description"]?.string?.contains("--") == false, "\(name)")
        }
        #expect(properties["hardware"]?["default"] == "auto" && properties["chapters"]?["default"] == true)
        #expect(OptionCatalogue.schema["dependentRequired"] == ["scaling": ["size"], "twoPass": ["bitrate"]])
    }
}
