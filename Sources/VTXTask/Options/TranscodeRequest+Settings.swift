package import VTXJSON
package import VTXMedia

/// Settings by option name, as text.
package typealias Settings = [OptionName: String]

extension TranscodeRequest {
    /// Creates a request from settings.
    ///
    /// - Throws: `.badValue` for an invalid value, `.conflict` and `.needsOption` for invalid combinations.
    package init(input: String, output: String? = nil, settings: Settings) throws(TranscodeError) {
        self.init(input: input, output: output)
        for option in OptionCatalogue.options {
            if let text = settings[option.name] { try option.apply(text, to: &self) }
        }
        try check(given: Set(settings.keys))
    }

    /// The settings that differ from the defaults.
    package var settings: Settings {
        Settings(
            uniqueKeysWithValues: OptionCatalogue.options.compactMap { option in
                option.text(self).map { (option.name, $0) }
            })
    }

    /// Checks the bounds of every value, and the combinations of values.
    package func check() throws(TranscodeError) {
        let settings = settings
        _ = try TranscodeRequest(input: input, output: output, settings: settings)
        try checkFollowingFiles(Set(settings.keys))
    }
}

extension TranscodeRequest {
    private func check(given: Set<OptionName>) throws(TranscodeError) {
        for rivals in OptionCatalogue.exclusive where given.isSuperset(of: rivals) {
            throw TranscodeError(
                .conflict, "\(written(rivals[0])) and \(written(rivals[1])) cannot be used together")
        }
        for (name, needed) in OptionCatalogue.requirements where given.contains(name) && !given.contains(needed) {
            throw TranscodeError(.needsOption, "\(option: name) needs \(option: needed)")
        }
        try checkRates()
        try checkProfile()
        try checkPasses()
        try checkSilence()
        if copiesVideo { try check(.copyVideo, against: OptionCatalogue.aboutPictures, given) }
        try checkRenditions(given)
        if audio == .none {
            let hint: Message = "\(option: .audioStreams, "none") drops only the source's own audio"
            try check(
                .audio, against: OptionCatalogue.aboutAudio, given, hint: given.contains(.addAudio) ? hint : nil)
        }
        try checkReplacement()
        try checkPipes(given)
    }

    private func checkRenditions(_ given: Set<OptionName>) throws(TranscodeError) {
        guard hasRenditions else {
            guard given.contains(.segmentDuration) else { return }
            throw TranscodeError(.needsOption, "\(option: .segmentDuration) needs \(option: .hls) or \(option: .dash)")
        }
        try check(
            ladderOption, against: OptionCatalogue.notForLadders, given,
            hint: "\(option: .ladder) sets sizes and bit rates, for example 720:3M,480:1200k")
        if let codec = codec ?? profile?.codec, codec == .av1 {
            throw .contradiction(
                "\(option: ladderOption)", "\(option: .codec, codec.rawValue)", hint: "allowed: H.264, HEVC")
        }
        if case .encode(let codec) = audio, !LadderRequest.audioCodecs.contains(codec) {
            throw .contradiction(
                "\(option: ladderOption)", "\(option: .audio, codec.rawValue)",
                hint: "allowed: \(LadderRequest.audioCodecs.map(\.rawValue).joined(separator: ", "))")
        }
    }

    private func checkReplacement() throws(TranscodeError) {
        guard replacesSource else { return }
        if let output {
            throw TranscodeError(
                .conflict, "\(option: .replace) takes no output name such as '\(output)'",
                hint: "the output replaces the source; use one command for each source")
        }
        guard let verification, verification != .full else { return }
        throw .contradiction(
            "\(option: .replace)", "\(option: .verify, verification.rawValue)",
            hint: "an output that replaces its source is compared with it frame by frame")
    }

    /// Rejects options that would have no effect in combination with others.
    private func checkSilence() throws(TranscodeError) {
        if hardware == .off, forbidsFallbacks {
            throw .contradiction(
                "\(option: .failOnFallback)", "\(option: .hardware, "off")", hint: "everything then runs in software")
        }
        if hardware == .off, let option = hardwareEncoder.options.first {
            throw .contradiction(
                "\(option: option)", "\(option: .hardware, "off")", hint: "it applies only to GPU encoders")
        }
        if let size, !size.isExact, scaling != .letterbox {
            throw .contradiction(
                "\(option: .scaling)", "\(option: .size, "\(size)")", hint: "a single side keeps the aspect ratio")
        }
        if start != nil, timestamps == .source {
            throw .contradiction(
                "\(option: .start)", "\(option: .timestamps, "source")",
                hint: "an output that begins inside the source starts at zero")
        }
        try checkEncoderOptions()
    }

    /// Rejects options of an encoder that would make x264 write another profile than requested.
    private func checkEncoderOptions() throws(TranscodeError) {
        var beyond: [String] = allowsBFrames ? [] : ["bframes"]
        if profile == .baseline { beyond = ["bframes", "8x8dct", "weightp"] }
        if profile == .h264Main { beyond.append("8x8dct") }
        guard let option = encoderOptions?.first(where: { beyond.contains($0.name) && $0.value != "0" }) else { return }
        throw .contradiction(
            allowsBFrames ? "\(option: .profile, profileName ?? "")" : "\(option: .bFrames, "false")",
            "\(option: .encoderOptions, option.description)")
    }

    /// Rejects options about something that is copied or dropped.
    private func check(
        _ option: OptionName, against others: [OptionName], _ given: Set<OptionName>, hint: Message? = nil
    ) throws(TranscodeError) {
        guard let other = others.first(where: given.contains) else { return }
        throw .contradiction(written(option), written(other), hint: hint)
    }

    /// Returns an option as its user knows it: a word is named with its option, because it may have a flag of its own.
    private func written(_ name: OptionName) -> Message {
        guard let option = OptionCatalogue.option(name), case .words = option.value.completion,
            let value = option.text(self), value != "true"
        else { return "\(option: name)" }
        return "\(option: name, value)"
    }

    private func checkRates() throws(TranscodeError) {
        guard let maxBitrate, let bitrate, maxBitrate < bitrate else { return }
        throw TranscodeError(
            .conflict,
            "\(option: .maxBitrate) (\(maxBitrate) bit/s) is less than \(option: .bitrate) (\(bitrate) bit/s)",
            hint: "the maximum applies to each second, and cannot be less than the average")
    }

    /// Rejects what only an encoder without a second pass does.
    private func checkPasses() throws(TranscodeError) {
        guard usesTwoPasses else { return }
        let hint: Message = "only software encodes in two passes"
        if hardware == .require {
            throw .contradiction("\(option: .twoPass)", "\(option: .hardware, "require")", hint: hint)
        }
        if forbidsFallbacks { throw .contradiction("\(option: .twoPass)", "\(option: .failOnFallback)", hint: hint) }
        if let option = hardwareEncoder.options.first {
            throw .contradiction("\(option: .twoPass)", "\(option: option)", hint: hint)
        }
        guard (codec ?? profile?.codec ?? container?.onlyCodec) == .av1 else { return }
        throw TranscodeError(
            .conflict, "\(option: .twoPass) cannot be used with AV1: SVT-AV1 has one pass here",
            hint: "allowed: H.264, HEVC")
    }

    private func checkProfile() throws(TranscodeError) {
        guard let profileName else { return }
        if let codec, profile?.codec != codec { throw .profile(profileName, isNotOneOf: codec) }
        guard profile == nil else { return }
        throw TranscodeError(
            .conflict, "\(option: .profile): several codecs have a profile '\(profileName)'",
            hint: "add \(option: .codec, "hevc"), \(option: .codec, "h264") or \(option: .codec, "av1")")
    }
}

extension HardwareEncoderOptions {
    /// The options that are set.
    package var options: [OptionName] {
        [
            lowPower == .auto ? nil : .lowPower, asyncDepth == nil ? nil : .asyncDepth,
            bFrameDepth == nil ? nil : .bDepth,
        ].compactMap(\.self)
    }
}

extension TranscodeError {
    fileprivate static func contradiction(_ one: Message, _ other: Message, hint: Message? = nil) -> TranscodeError {
        TranscodeError(.conflict, "\(one) and \(other) contradict each other", hint: hint)
    }

    package static func profile(_ name: String, isNotOneOf codec: VideoCodec) -> TranscodeError {
        let names = VideoProfile.allCases.filter { $0.codec == codec }.map(\.name)
        return TranscodeError(
            .profile, "\(option: .profile): '\(name)' is not a profile of \(codec); expected \(alternatives(names))")
    }
}

/// `{"input": ..., "output": ..., "settings": {...}}`; the settings are those that differ from the defaults.
extension TranscodeRequest: Codable {
    private enum Key: CodingKey {
        case input
        case output
        case settings
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let settings = try container.decodeIfPresent([String: JSONValue].self, forKey: .settings) ?? [:]
        try self.init(
            input: try container.decode(String.self, forKey: .input),
            output: try container.decodeIfPresent(String.self, forKey: .output),
            settings: try Self.settings(settings))
    }

    /// - Throws: `.unknownOption` for an unknown name, `.badValue` for an invalid value.
    package static func settings(_ values: [String: JSONValue]) throws(TranscodeError) -> Settings {
        var settings: Settings = [:]
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            let option = try OptionCatalogue.option(named: name)
            settings[option.name] = try option.text(value)
        }
        return settings
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(input, forKey: .input)
        try container.encodeIfPresent(output, forKey: .output)
        try container.encode(jsonSettings, forKey: .settings)
    }

    /// The settings that differ from the defaults, as JSON.
    package var jsonSettings: [String: JSONValue] {
        Dictionary(
            uniqueKeysWithValues: OptionCatalogue.options.compactMap { option in
                option.text(self).map { (option.name.rawValue, option.value.json($0)) }
            })
    }
}
