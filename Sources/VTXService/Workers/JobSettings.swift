import VTXJobs

/// The settings of a job: the options of `vtx transcode`, in JSON's manner. The table is the schema, the documentation
/// and the way to the worker's arguments at the same time.
package enum JobSettings {
    struct Setting: Sendable {
        var name: String
        /// Of `vtx transcode`; nil where it has none of this name.
        var option: String?
        var schema: Schema
        var help: String
        var arguments: @Sendable (JSONValue) -> [String]
    }

    static var schema: Schema {
        .named("Settings", .object(.init(table.map { .init($0.name, $0.schema, $0.help) })))
    }

    /// What jobs may set.
    package static var names: [String] { table.map(\.name) }

    /// The options of `vtx transcode` that workers are given.
    package static var options: [String] { table.compactMap(\.option) }

    /// Those that the worker understands, for settings that the schema allows.
    static func arguments(_ settings: [String: JSONValue]) -> [String] {
        table.flatMap { setting in settings[setting.name].map(setting.arguments) ?? [] }
    }

    static let table: [Setting] = coding + picture + streams + output

    private static let coding = [
        Setting(name: "codec", schema: words("hevc", "h264"), help: "What to encode.") { ["--\($0.string ?? "")"] },
        value("hardware", words("auto", "require", "off"), "Whether to use a GPU.", option: "hw"),
        value("device", text, "The GPU to use: a render node, `pci:ADDRESS` or `vendor:NAME`."),
        value("lowPower", words("auto", "on", "off"), "Which of the GPU's encoders to use.", option: "low-power"),
        value("asyncDepth", .integer(1...64), "How many frames the GPU encodes at one time.", option: "async-depth"),
        value("bDepth", .integer(1...3), "How many levels of B frames the GPU's encoder uses.", option: "b-depth"),
        flag("failOnFallback", "fail-on-fallback", when: true, "Fail where software would do what a GPU was to do."),
        value("quality", .number(0...100), "Constant quality, from 0 to 100."),
        value("bitrate", .integer(1000...1_000_000_000), "Bits per second."),
        value(
            "maxBitrate", .integer(1000...1_000_000_000), "The most bits that any one second may take.",
            option: "max-bitrate"),
        value("preset", words("fast", "balanced", "quality"), "How much time the encoder may spend on a frame."),
        value("profile", text, "The codec's profile."),
        value(
            "keyFrameInterval", text, "The longest way from one key frame to the next: `120` frames, `5s`, or both.",
            option: "gop"),
        flag("bFrames", "no-b-frames", when: false, "False encodes without B frames."),
    ]

    private static let picture = [
        value("size", text, "Width and height in pixels: `1280x720`."),
        value("maxSize", text, "The largest width and height: `1280x720`.", option: "max-size"),
        value("scaling", words("letterbox", "trim", "fill"), "What to do when the size has another shape."),
        value("frameRate", text, "The output's frame rate.", option: "fps"),
        value("deinterlace", words("auto", "on", "off"), "Which frames to deinterlace."),
        value("dynamicRange", words("keep", "sdr"), "What to do with HDR.", option: "hdr"),
        flag("rotatePixels", "bake-rotation", when: true, "Turn the pixels themselves."),
    ]

    private static let streams = [
        value(
            "audio", words("copy", "none", "aac", "ac3", "eac3", "flac", "mp3", "opus"), "What to do with the audio."),
        value(
            "audioBitrate", .integer(6000...10_000_000), "Bits per second of converted audio.", option: "audio-bitrate"),
        value("videoStream", .integer(0...999), "Which video stream to encode.", option: "video"),
        value("audioStreams", text, "`all`, `none`, or a list of positions and languages.", option: "audio-streams"),
        value("subtitleStreams", text, "As `audioStreams`.", option: "subtitle-streams"),
        value("dataStreams", text, "As `audioStreams`.", option: "data-streams"),
        value("attachments", text, "As `audioStreams`."),
        flag("chapters", "no-chapters", when: false, "False leaves them out."),
        flag("metadata", "no-metadata", when: false, "False leaves it out."),
    ]

    private static let output = [
        value("start", text, "Where in the source to start: seconds or `[H:]MM:SS`."),
        value("duration", text, "How much to transcode: seconds or `[H:]MM:SS`."),
        value("inputFrameRate", text, "The frame rate of a raw stream.", option: "input-fps"),
        value("timestamps", words("auto", "source", "zero"), "Where the output's timestamps start."),
        flag("fragmented", "fragmented", when: true, "Write MP4 or MOV in fragments."),
        flag("failOnDowngrade", "no-downgrade", when: true, "Fail where something of the source would be given up."),
        Setting(
            name: "overwrite", schema: words("refuse", "replace", "skip"),
            help: "What to do when the output's name is taken."
        ) { _ in [] },
    ]
}

// MARK: Rows

extension JobSettings {
    /// An option with a value; one argument, so that no value is taken for an option.
    private static func value(_ name: String, _ schema: Schema, _ help: String, option: String? = nil) -> Setting {
        Setting(name: name, option: option ?? name, schema: schema, help: help) { value in
            ["--\(option ?? name)=\(value.string ?? value.text)"]
        }
    }

    private static func flag(_ name: String, _ option: String, when wanted: Bool, _ help: String) -> Setting {
        Setting(name: name, option: option, schema: .boolean, help: help) { $0.bool == wanted ? ["--\(option)"] : [] }
    }

    private static func words(_ words: String...) -> Schema { .string(.init(words: words)) }
    private static var text: Schema { .string(.init(1...200)) }
}
