/// What a container and the first packets say of a stream. A value: it can be printed, stored and sent.
package struct StreamInfo: Sendable, Hashable, Codable {
    package var index: Int
    /// A file beside the source that it comes from; nil for the source's own.
    package var file: String?
    package var kind: StreamKind
    /// libavcodec's name: `h264`, `mov_text`; `none` where nothing is known.
    package var codecName: String
    /// Where the codec has profiles and this is a known one.
    package var profileName: String?
    /// The four characters that containers of the QuickTime family tag a codec with; 0 for none.
    package var codecTag: UInt32
    package var timeBase: Rational
    /// In ticks of `timeBase`.
    package var startTime: Int64?
    /// In ticks of `timeBase`; containers lie about it.
    package var duration: Int64?
    /// How many packets the container's index lists; 0 where it has none.
    package var frameCount = 0
    /// Bits of the counter that its timestamps come from; 33 in MPEG-TS (C: `AVStream.pts_wrap_bits`).
    package var wrapBits = 64
    package var averageFrameRate = Rational(0, 1)
    /// The lowest rate at which all timestamps can be shown exactly, libavformat's guess.
    package var realFrameRate = Rational(0, 1)
    package var sampleAspectRatio = Rational(0, 1)
    package var disposition: Disposition = []
    package var metadata: [MetadataEntry] = []
    package var displayMatrix: DisplayMatrix?
    package var hdrMetadata = HDRMetadata()
    /// Kinds of stream-wide extra data, by libavcodec's names, for example `DOVI configuration record`.
    package var sideDataKinds: [String] = []
    /// Of the container; nil where it says nothing of Dolby Vision.
    package var dolbyVision: DolbyVision?
    /// Bits per second; 0 where it is not said.
    package var bitrate = 0
    /// Of video; 0x0 elsewhere.
    package var size = PixelSize(0, 0)
    /// nil where nothing is known, and for what is not video.
    package var pixelFormat: PixelFormat?
    package var color = ColorDescription.unspecified
    /// True, false, or nil where the container does not say how fields lie.
    package var isInterlaced: Bool?
    /// Of audio; 0 elsewhere.
    package var sampleRate = 0
    package var channelCount = 0

    package init(index: Int, kind: StreamKind, codecName: String, codecTag: UInt32 = 0, timeBase: Rational) {
        self.index = index
        self.kind = kind
        self.codecName = codecName
        self.codecTag = codecTag
        self.timeBase = timeBase
    }
}

extension StreamInfo {
    package var language: String? { metadata["language"] }

    /// Enough of it has been seen to know its coding and its form.
    package var isKnown: Bool {
        switch kind {
        case .audio: sampleRate > 0 && channelCount > 0
        case .video: size.width > 0 && size.height > 0
        case .subtitle, .data, .attachment: true
        }
    }

    /// The time after which its timestamps start at zero again; nil for never.
    package var timestampPeriod: MediaTime? { wrapBits < 63 ? MediaTime(1 << Int64(wrapBits), timeBase) : nil }

    package var isCoverArt: Bool { disposition.contains(.attachedPicture) }

    /// The kind as which the stream is counted and selected: to libavformat a cover picture is a video stream, to users
    /// it is an attachment.
    package var countedKind: StreamKind { isCoverArt ? .attachment : kind }

    /// `subtitle stream 2 (subrip, eng)`.
    package var label: String {
        let kind = isCoverArt ? "cover picture" : self.kind.rawValue
        let details = [codecName, language].compactMap(\.self).joined(separator: ", ")
        let origin = file.map { " of '\($0)'" } ?? ""
        return "\(kind) stream \(index) (\(details))\(origin)"
    }
}

/// What a stream holds (C: `AVMediaType`).
package enum StreamKind: String, Sendable, Hashable, CaseIterable, Codable {
    case video
    case audio
    case subtitle
    case data
    case attachment
}

/// A tag of a file, a stream or a chapter.
package struct MetadataEntry: Sendable, Hashable, Codable {
    package var key: String
    package var value: String

    package init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }
}

extension [MetadataEntry] {
    /// The value of a key, whatever its case, as libav looks them up.
    package subscript(_ key: String) -> String? {
        first { $0.key.lowercased() == key.lowercased() }?.value
    }
}

/// A named part of a file.
package struct Chapter: Sendable, Hashable, Codable {
    package var id: Int64
    package var start: MediaTime
    package var end: MediaTime
    package var metadata: [MetadataEntry]

    package init(id: Int64, start: MediaTime, end: MediaTime, metadata: [MetadataEntry]) {
        self.id = id
        self.start = start
        self.end = end
        self.metadata = metadata
    }
}

/// What a stream is for: default, forced, commentary ... (C: `AV_DISPOSITION_*`).
package struct Disposition: OptionSet, Sendable, Hashable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let `default` = Disposition(rawValue: 1 << 0)
    package static let forced = Disposition(rawValue: 1 << 6)
    package static let hearingImpaired = Disposition(rawValue: 1 << 7)
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

/// What an audio stream is converted to, in libavcodec's terms.
package struct AudioEncoderSettings: Sendable, Hashable, Codable {
    /// libavcodec's name of the encoder, for example `aac`.
    package var codecName: String
    package var sampleRate: Int
    /// libavutil's description, for example `stereo` or `5.1(side)`.
    package var channelLayout: String
    package var channelCount: Int
    /// libavutil's name, for example `fltp`.
    package var sampleFormat: String
    /// Bits of each sample that are kept; nil for codecs that do not keep samples as they are.
    package var bitsPerSample: Int?
    /// Bits per second; nil for lossless codecs.
    package var bitrate: Int?
    package var usesGlobalHeader: Bool
    /// LUFS (EBU R 128) that the samples are brought to; nil leaves them as loud as they are.
    package var loudness: Int?

    package init(
        codecName: String, sampleRate: Int, channelLayout: String, channelCount: Int, sampleFormat: String,
        bitsPerSample: Int?, bitrate: Int?, usesGlobalHeader: Bool
    ) {
        self.codecName = codecName
        self.sampleRate = sampleRate
        self.channelLayout = channelLayout
        self.channelCount = channelCount
        self.sampleFormat = sampleFormat
        self.bitsPerSample = bitsPerSample
        self.bitrate = bitrate
        self.usesGlobalHeader = usesGlobalHeader
    }
}
