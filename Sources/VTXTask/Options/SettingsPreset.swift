package import VTXJSON
import VTXMedia
import VTXSystem

/// Named settings. A service's preset and a user's file have the same JSON:
/// `{"settings": {"codec": "hevc", "quality": 60}, "description": "..."}`.
package struct SettingsPreset: Sendable, Hashable, Codable {
    package var settings: [String: JSONValue]
    /// A description for users.
    package var description: String?

    package init(_ settings: [String: JSONValue], description: String? = nil) {
        (self.settings, self.description) = (settings, description)
    }

    /// Returns the preset's settings merged with other settings, which take precedence, even if they conflict with the
    /// preset's.
    ///
    /// - Parameter output: The name of the output, whose extension takes precedence over the preset's format; nil if it
    ///   has none yet.
    package func settings(with own: [String: JSONValue], output: String?) -> [String: JSONValue] {
        var kept = settings
        if let output, Container(fileExtension: FileName.split(output).pathExtension) != nil {
            kept[OptionName.format.rawValue] = nil
        }
        for rivals in OptionCatalogue.exclusive.map({ $0.map(\.rawValue) })
        where rivals.contains(where: { own[$0] != nil }) {
            rivals.forEach { kept[$0] = nil }
        }
        let pathExtension = output.map { FileName.split($0).pathExtension }
        if needsOnePass(own, pathExtension) { kept[OptionName.twoPass.rawValue] = nil }
        for (option, needs) in OptionCatalogue.requirements
        where kept[needs.rawValue] == nil && own[needs.rawValue] == nil {
            kept[option.rawValue] = nil
        }
        if own[OptionName.audio.rawValue] == "none" { remove(OptionCatalogue.aboutAudio, from: &kept) }
        if own[OptionName.copyVideo.rawValue] == true { remove(OptionCatalogue.aboutPictures, from: &kept) }
        let names: [OptionName] = [.hls, .dash, .ladder]
        if names.contains(where: { own[$0.rawValue] != nil }) { remove(OptionCatalogue.notForLadders, from: &kept) }
        return kept.merging(own) { _, own in own }
    }

    /// Whether settings ask for an encoder that has no second pass.
    private func needsOnePass(_ own: [String: JSONValue], _ pathExtension: String?) -> Bool {
        let isOnGPU =
            own[OptionName.hardware.rawValue] == "require"
            || OptionCatalogue.aboutGPUs.contains { own[$0.rawValue] != nil }
        return isOnGPU || codec(own, pathExtension) == VideoCodec.av1
    }

    /// The codec as far as settings and the output's extension determine it.
    private func codec(_ own: [String: JSONValue], _ pathExtension: String?) -> VideoCodec? {
        func text(_ option: OptionName) -> String? { (own[option.rawValue] ?? settings[option.rawValue])?.string }
        if let codec = text(.codec) { return VideoCodec(rawValue: codec) }
        if let name = text(.profile) {
            return VideoProfile.allCases.first { $0.name == name || $0.qualifiedName == name }?.codec
        }
        let named = pathExtension.flatMap(Container.init(fileExtension:))
        return (named ?? text(.format).flatMap(Container.init(rawValue:)))?.onlyCodec
    }

    private func remove(_ options: [OptionName], from settings: inout [String: JSONValue]) {
        options.forEach { settings[$0.rawValue] = nil }
    }
}

extension SettingsPreset {
    /// The built-in presets.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case web
        case phone
        case tv
        case archive
        case chat
    }

    package init(_ name: Name) {
        switch name {
        case .web:
            self.init(
                ["codec": "h264", "maxSize": "1920x1920", "audio": "aac", "dynamicRange": "sdr", "format": "mp4"],
                description: "Plays in every browser.")
        case .phone:
            self.init(
                [
                    "codec": "hevc", "quality": 65, "maxSize": "1280x1280", "audio": "aac", "audioChannels": "stereo",
                    "dynamicRange": "sdr", "format": "mp4",
                ],
                description: "Small, for phones and tablets of the last ten years.")
        case .tv:
            self.init(
                ["codec": "hevc", "quality": 75, "maxSize": "3840x2160"],
                description: "For a large screen: up to 4K, with HDR and the source's audio.")
        case .archive:
            self.init(
                ["codec": "hevc", "quality": 85, "preset": "quality"],
                description: "For archiving: visually close to the source, slow to encode.")
        case .chat:
            self.init(
                [
                    "codec": "h264", "quality": 55, "maxSize": "960x960", "audio": "aac", "audioBitrate": "96k",
                    "audioChannels": "stereo", "dynamicRange": "sdr", "subtitleStreams": "none", "format": "mp4",
                ],
                description: "Small enough for messengers and mail.")
        }
    }
}
