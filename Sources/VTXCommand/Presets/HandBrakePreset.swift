import VTXJSON
import VTXMedia
import VTXTask

/// A preset of HandBrake, as written by "Export Presets to File", converted to vtx's settings.
///
/// HandBrake's settings without an equivalent in vtx are listed in `leftOut`, with the reason.
struct HandBrakePreset: Sendable, Hashable {
    let name: String
    private(set) var settings: [String: JSONValue] = [:]
    private(set) var leftOut: [String] = []

    /// Returns all presets of a file, including those in folders; empty if it is not HandBrake's. An exported file has
    /// a `PresetList`; HandBrake's internal files are a list.
    static func all(in file: JSONValue) -> [HandBrakePreset] {
        (file["PresetList"]?.array ?? file.array ?? []).flatMap(presets)
    }

    private static func presets(in entry: JSONValue) -> [HandBrakePreset] {
        if let children = entry["ChildrenArray"]?.array, !children.isEmpty { return children.flatMap(presets) }
        return HandBrakePreset(entry).map { [$0] } ?? []
    }

    /// The name of its file: `h.265-mkv-1080p30` for `H.265 MKV 1080p30`.
    var fileName: String {
        let words = name.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "." }
        return words.joined(separator: "-").trimmingPrefix(while: { $0 == "." }).description
    }

    private init?(_ entry: JSONValue) {
        guard let name = entry["PresetName"]?.string, entry["VideoEncoder"]?.string != nil else { return nil }
        self.name = name
        let fields = HandBrakeFields(entry)
        takeEncoder(fields)
        takeRate(fields)
        takeFrameRate(fields)
        takeSize(fields)
        takeFilters(fields)
        takeAudio(fields)
        takeStreams(fields)
        for (name, neutral, reason) in Self.namedOnly where fields.says(name, otherThan: neutral) {
            leave(name, reason)
        }
    }

    /// Settings without an equivalent, their neutral values, and the reason.
    private static let namedOnly: [(name: String, neutral: [JSONValue], reason: String)] = [
        ("VideoColorRange", ["auto", "same"], "the range stays the source's"),
        ("PicturePadMode", ["none", 0], "the filter pad draws borders"),
        ("PicturePAR", ["auto", "loose", "strict"], "the pixel aspect ratio stays the source's"),
        ("PictureKeepRatio", [true, 1], "the picture is never distorted"),
        ("SubtitleLanguageList", [[], ["any"]], "a source without them would be refused"),
        ("SubtitleAddForeignAudioSearch", [false, 0], "vtx does not search audio for foreign languages"),
    ]

    mutating func set(_ option: OptionName, _ value: JSONValue) { settings[option.rawValue] = value }
    mutating func leave(_ what: String, _ why: String) { leftOut.append("\(what): \(why)") }
}

/// The members of a preset, by HandBrake's names.
struct HandBrakeFields {
    private let entry: JSONValue

    init(_ entry: JSONValue) { self.entry = entry }

    /// nil if it is missing or empty.
    func word(_ name: String) -> String? {
        guard let text = entry[name]?.string?.lowercased(), !["", "off", "none", "auto"].contains(text) else {
            return nil
        }
        return text
    }

    /// Whether it is present with a value other than these.
    func says(_ name: String, otherThan neutral: [JSONValue]) -> Bool {
        entry[name].map { $0 != .null && !neutral.contains($0) } ?? false
    }

    func number(_ name: String) -> Double? { entry[name]?.number }
    func positive(_ name: String) -> Int64? { entry[name]?.integer.flatMap { $0 > 0 ? $0 : nil } }
    /// Older versions of HandBrake write 0 and 1.
    func truth(_ name: String) -> Bool? { entry[name]?.bool ?? entry[name]?.number.map { $0 != 0 } }
    func list(_ name: String) -> [HandBrakeFields] { entry[name]?.array?.map(HandBrakeFields.init) ?? [] }
    func words(_ name: String) -> [String] { entry[name]?.array?.compactMap(\.string) ?? [] }
}

// MARK: The encoder

extension HandBrakePreset {
    var codec: VideoCodec? { settings[OptionName.codec.rawValue]?.string.flatMap(VideoCodec.init(rawValue:)) }

    /// `x264`, `x265_10bit`, `svt_av1`, `qsv_h265`, `nvenc_av1_10bit`, `vce_h264`, ...
    private mutating func takeEncoder(_ fields: HandBrakeFields) {
        guard let encoder = fields.word("VideoEncoder") else { return }
        let codecs: [(String, VideoCodec)] = [("264", .h264), ("265", .hevc), ("hevc", .hevc), ("av1", .av1)]
        guard let codec = codecs.first(where: { encoder.contains($0.0) })?.1 else {
            return leave("VideoEncoder \(encoder)", "vtx encodes HEVC, H.264 and AV1, and chooses one of them")
        }
        set(.codec, .string(codec.rawValue))
        if ["x264", "x265", "svt"].contains(where: encoder.hasPrefix) { set(.hardware, "off") }
        takeProfile(fields, encoder)
        takePreset(fields, encoder)
        if let tune = fields.word("VideoTune") { takeTune(tune, encoder) }
        if let level = fields.word("VideoLevel") {
            leave("VideoLevel \(level)", "the level follows from size, frame rate and bit rate")
        }
        if let options = fields.word("VideoOptionExtra") {
            leave("VideoOptionExtra \(options)", "set with encoderOptions those that affect the picture")
        }
    }

    private mutating func takeProfile(_ fields: HandBrakeFields, _ encoder: String) {
        if encoder.hasSuffix("12bit") {
            leave("VideoEncoder \(encoder)", "10 bits, the most that vtx encodes, replace 12")
        }
        guard !["10bit", "12bit"].contains(where: encoder.hasSuffix) else {
            // 10-bit AV1 is its main profile too.
            return codec == .av1
                ? set(.bitDepth, 10)
                : set(.profile, codec == .h264 ? "high10" : "main10")
        }
        guard let profile = fields.word("VideoProfile"), let codec else { return }
        guard VideoProfile(named: profile, codec: codec) != nil else {
            return leave("VideoProfile \(profile)", "\(codec.rawValue) has no profile of that name here")
        }
        set(.profile, .string(profile))
    }

    /// Converts a constant quality from CRF, whose scale is reversed.
    private mutating func takeRate(_ fields: HandBrakeFields) {
        if fields.number("VideoQualityType") == 1, let kilobits = fields.positive("VideoAvgBitrate") {
            takePasses(fields)
            return set(.bitrate, .integer(kilobits * 1000))
        }
        guard let rateFactor = fields.number("VideoQualitySlider"), let codec else { return }
        set(.quality, .number(Quality(rateFactor: rateFactor, codec).value))
    }

    /// The name of the setting depends on HandBrake's version.
    private mutating func takePasses(_ fields: HandBrakeFields) {
        let names = ["VideoMultiPass", "VideoTwoPass", "MultiPass"]
        guard names.contains(where: { fields.truth($0) == true }) else { return }
        let encoder = fields.word("VideoEncoder") ?? ""
        guard ["x264", "x265"].contains(where: encoder.hasPrefix) else {
            return leave("VideoMultiPass", "only x264 and x265 encode in two passes here")
        }
        set(.twoPass, true)
    }
}

extension Quality {
    /// The quality with this rate factor, rounded to a tenth.
    fileprivate init(rateFactor: Double, _ codec: VideoCodec) {
        // Linear, except for the lowest qualities.
        let (half, best) = (Self.rateFactor(50, codec), Self.rateFactor(100, codec))
        let value = 100 - (rateFactor - best) / ((half - best) / 50)
        self = Quality((min(max(value, 0), 100) * 10).rounded() / 10) ?? .standard
    }

    private static func rateFactor(_ value: Double, _ codec: VideoCodec) -> Double {
        (Quality(value) ?? .standard).rateFactor(for: codec)
    }
}

// MARK: Video

extension HandBrakePreset {
    private mutating func takeFrameRate(_ fields: HandBrakeFields) {
        let isConstant = fields.word("VideoFramerateMode") == "cfr"
        guard let rate = fields.word("VideoFramerate") else {
            if isConstant { leave("VideoFramerateMode cfr", "at the source's rate, each frame keeps its timestamp") }
            return
        }
        if isConstant { return set(.frameRate, .string(rate)) }
        leave("VideoFramerate \(rate) as a limit", "each frame keeps its timestamp")
    }

    private mutating func takeSize(_ fields: HandBrakeFields) {
        let limits = ["PictureWidth", "PictureHeight"].map { fields.positive($0).map(String.init) ?? "" }
        if limits.allSatisfy({ !$0.isEmpty }) {
            set(.maxSize, .string(limits.joined(separator: "x")))
        } else if limits.contains(where: { !$0.isEmpty }) {
            leave("one of PictureWidth and PictureHeight as a limit", "maxSize limits both")
        }
        // 0 and 1 detect bars, 2 disables cropping, 3 has numbers for one source size.
        let mode = fields.number("PictureCropMode") ?? (fields.truth("PictureAutoCrop") == true ? 0 : 2)
        if mode < 2 { set(.crop, "auto") }
        let sides = ["Top", "Bottom", "Left", "Right"].compactMap { fields.positive("Picture\($0)Crop") }
        if mode == 3, !sides.isEmpty { leave("custom cropping", "it fits only one source size") }
        guard let turned = fields.word("PictureRotate") else { return }
        let parts = turned.split(separator: ":")
        let angle = parts.first { $0.hasPrefix("angle=") }.flatMap { Int64($0.dropFirst(6)) } ?? 0
        if angle != 0 { set(.rotate, .integer(angle)) }
        // HandBrake flips before it rotates; vtx flips afterwards.
        if parts.contains("hflip=1") { set(.flip, angle % 180 == 0 ? "horizontal" : "vertical") }
    }

    private mutating func takeFilters(_ fields: HandBrakeFields) {
        takeDeinterlacing(fields)
        takeStrength(fields, "Denoise", .denoise, ["hqdn3d"])
        takeStrength(fields, "Sharpen", .sharpen, ["unsharp"])
        for filter in ["PictureDeblockPreset", "PictureChromaSmoothPreset", "PictureColorspacePreset"] {
            if let value = fields.word(filter) { leave("\(filter) \(value)", "vtx has no such filter") }
        }
        if fields.truth("VideoGrayScale") == true { leave("VideoGrayScale", "the filter hue=s=0 does it") }
    }

    private mutating func takeDeinterlacing(_ fields: HandBrakeFields) {
        if let pulldown = fields.word("PictureDetelecine") {
            leave("PictureDetelecine \(pulldown)", "the setting deinterlace=telecine undoes 3:2 pulldown")
        }
        guard let filter = fields.word("PictureDeinterlaceFilter") else { return set(.deinterlace, "off") }
        if fields.word("PictureDeinterlacePreset")?.contains("bob") == true { return set(.deinterlace, "field") }
        let isDetected = filter == "decomb" || fields.word("PictureCombDetectPreset") != nil
        if !isDetected { set(.deinterlace, "on") }
    }

    private mutating func takeStrength(
        _ fields: HandBrakeFields, _ kind: String, _ option: OptionName, _ own: Set<String>
    ) {
        guard let filter = fields.word("Picture\(kind)Filter") else { return }
        let word = fields.word("Picture\(kind)Preset") ?? "medium"
        if word == "custom" { return leave("Picture\(kind)Custom", "vtx has light, medium and strong") }
        let strength: FilterStrength =
            word.hasSuffix("light") ? .light : word.contains("strong") ? .strong : .medium
        set(option, .string(strength.rawValue))
        if !own.contains(filter) { leave("the filter \(filter)", "\(own.sorted()[0]) replaces it") }
    }
}
