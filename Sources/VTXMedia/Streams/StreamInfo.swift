/// The properties of a stream according to the container and its first packets. A value that can be printed, stored and
/// sent.
package struct StreamInfo: Sendable, Hashable, Codable {
    package var index: Int
    /// The path of a separate input file; nil for a stream of the source itself.
    package var file: String?
    package var kind: StreamKind
    /// The libavcodec name: `h264`, `mov_text`; `none` if unknown.
    package var codecName: String
    /// nil if the codec has no profiles or the profile is unknown.
    package var profileName: String?
    /// The codec tag (FourCC) in QuickTime-family containers; 0 for none.
    package var codecTag: UInt32
    package var timeBase: Rational
    /// In ticks of `timeBase`.
    package var startTime: Int64?
    /// In ticks of `timeBase`. Containers may declare a wrong duration.
    package var duration: Int64?
    /// The number of packets in the container's index; 0 if there is none.
    package var frameCount = 0
    /// The number of bits of the timestamp counter; 33 in MPEG-TS (C: `AVStream.pts_wrap_bits`).
    package var wrapBits = 64
    package var averageFrameRate = Rational(0, 1)
    /// The lowest frame rate that expresses all timestamps exactly, as libavformat estimates it.
    package var realFrameRate = Rational(0, 1)
    package var sampleAspectRatio = Rational(0, 1)
    package var disposition: Disposition = []
    package var metadata: [MetadataEntry] = []
    package var displayMatrix: DisplayMatrix?
    package var hdrMetadata = HDRMetadata()
    /// The libavcodec names of stream-level side data, for example `DOVI configuration record`.
    package var sideDataKinds: [String] = []
    /// The Dolby Vision configuration of the container; nil if there is none.
    package var dolbyVision: DolbyVision?
    /// How the pictures surround the viewer; nil for plain video.
    package var projection: VideoProjection?
    /// In bits per second; 0 if unknown.
    package var bitrate = 0
    /// The size of the video; 0x0 for other streams.
    package var size = PixelSize(0, 0)
    /// nil if unknown, and for streams other than video.
    package var pixelFormat: PixelFormat?
    package var color = ColorDescription.unspecified
    /// Whether frames are interlaced; nil if the container does not declare it.
    package var isInterlaced: Bool?
    /// The sample rate of the audio; 0 for other streams.
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

/// How pictures are mapped onto a sphere, and how they contain the views of both eyes. Containers store it, and encoding
/// does not change it.
package struct VideoProjection: Sendable, Hashable, Codable {
    /// libavutil's form (C: `AVSphericalMapping`); empty if there is none.
    package var spherical: [UInt8]
    /// libavutil's form (C: `AVStereo3D`); empty if there is none.
    package var stereo: [UInt8]

    /// - Returns: nil if there is neither.
    package init?(spherical: [UInt8], stereo: [UInt8]) {
        guard !spherical.isEmpty || !stereo.isEmpty else { return nil }
        (self.spherical, self.stereo) = (spherical, stereo)
    }

    package var name: String {
        [spherical.isEmpty ? nil : "360° mapping", stereo.isEmpty ? nil : "3D packing"].compactMap(\.self)
            .joined(separator: " and ")
    }
}

extension StreamInfo {
    package var language: String? { metadata["language"] }
    /// Whether transparency is stored beside the samples (Matroska's `AlphaMode`).
    package var hasAlphaBeside: Bool { metadata["alpha_mode"] == "1" }

    /// Whether enough of the stream has been read to know its codec and format.
    package var isKnown: Bool {
        switch kind {
        case .audio: sampleRate > 0 && channelCount > 0
        case .video: size.width > 0 && size.height > 0
        case .subtitle, .data, .attachment: true
        }
    }

    /// The period after which timestamps wrap around; nil for never.
    package var timestampPeriod: MediaTime? { wrapBits < 63 ? MediaTime(1 << Int64(wrapBits), timeBase) : nil }

    package var isCoverArt: Bool { disposition.contains(.attachedPicture) }

    /// The kind under which the stream is counted and selected: cover art is a video stream in libavformat, but an
    /// attachment for users.
    package var countedKind: StreamKind { isCoverArt ? .attachment : kind }

    /// `subtitle stream 2 (subrip, eng)`.
    package var label: String {
        let kind = isCoverArt ? "cover picture" : self.kind.rawValue
        let details = [codecName, language].compactMap(\.self).joined(separator: ", ")
        let origin = file.map { " of '\($0)'" } ?? ""
        return "\(kind) stream \(index) (\(details))\(origin)"
    }
}

/// The type of a stream (C: `AVMediaType`).
package enum StreamKind: String, Sendable, Hashable, CaseIterable, Codable {
    case video
    case audio
    case subtitle
    case data
    case attachment
}

/// A metadata tag of a file, a stream or a chapter.
package struct MetadataEntry: Sendable, Hashable, Codable {
    package var key: String
    package var value: String

    package init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }
}

extension [MetadataEntry] {
    /// Returns the value of a key, ignoring case, as libav* does.
    package subscript(_ key: String) -> String? {
        first { $0.key.lowercased() == key.lowercased() }?.value
    }
}

/// A chapter of a file.
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

/// The disposition of a stream: default, forced, comment and others (C: `AV_DISPOSITION_*`).
package struct Disposition: OptionSet, Sendable, Hashable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let `default` = Disposition(rawValue: 1 << 0)
    package static let forced = Disposition(rawValue: 1 << 6)
    package static let hearingImpaired = Disposition(rawValue: 1 << 7)
    /// Cover art instead of moving video.
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

    /// Creates a disposition from such names; nil if one is unknown.
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

/// The target of an audio conversion, in libavcodec's terms.
package struct AudioEncoderSettings: Sendable, Hashable, Codable {
    /// The libavcodec name of the encoder, for example `aac`.
    package var codecName: String
    package var sampleRate: Int
    /// The libavutil name, for example `stereo` or `5.1(side)`.
    package var channelLayout: String
    package var channelCount: Int
    /// The libavutil name, for example `fltp`.
    package var sampleFormat: String
    /// The number of significant bits per sample; nil for lossy codecs.
    package var bitsPerSample: Int?
    /// In bits per second; nil for lossless codecs.
    package var bitrate: Int?
    package var usesGlobalHeader: Bool
    /// The target loudness, in LUFS (EBU R 128); nil leaves it unchanged.
    package var loudness: Int?
    /// The gain to that loudness; nil if the source cannot be measured first.
    package var loudnessGain: LoudnessGain?

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
