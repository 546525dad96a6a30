/// What a stream is for: default, forced, commentary ... (C: `AV_DISPOSITION_*`).
package struct Disposition: OptionSet, Sendable, Hashable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let `default` = Disposition(rawValue: 1 << 0)
    /// A picture that goes with the file, not a moving stream.
    package static let attachedPicture = Disposition(rawValue: 1 << 10)

    /// libavformat's bits and the names that ffprobe prints.
    private static let table: [(bit: Int32, name: String)] = [
        (0, "default"), (1, "dub"), (2, "original"), (3, "comment"), (4, "lyrics"), (5, "karaoke"), (6, "forced"),
        (7, "hearing_impaired"), (8, "visual_impaired"), (9, "clean_effects"), (10, "attached_pic"),
        (11, "timed_thumbnails"), (12, "non_diegetic"), (16, "captions"), (17, "descriptions"), (18, "metadata"),
        (19, "dependent"), (20, "still_image"), (21, "multilayer"),
    ]

    /// The names that ffprobe prints.
    package var names: [String] { Self.table.filter { rawValue & (1 << $0.bit) != 0 }.map(\.name) }

    /// The sum of what such names stand for; nil where one of them is unknown.
    package init?(names: [String]) {
        let bits = names.map { name in Self.table.first { $0.name == name }?.bit }
        guard !bits.contains(nil) else { return nil }
        self.init(rawValue: bits.compactMap(\.self).reduce(0) { $0 | 1 << $1 })
    }
}

extension Disposition: Codable {
    package init(from decoder: any Decoder) throws {
        self = try decoder.value(of: [String].self, Disposition.init(names:))
    }

    package func encode(to encoder: any Encoder) throws { try names.encode(to: encoder) }
}
