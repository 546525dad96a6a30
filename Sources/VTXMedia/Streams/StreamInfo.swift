/// What a container and the first packets say of a stream. A value: it can be printed, stored and sent.
package struct StreamInfo: Sendable, Hashable, Codable {
    package var index: Int
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
    /// Of Dolby Vision's configuration record; nil where there is none.
    package var dolbyVisionProfile: Int?
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
        return "\(kind) stream \(index) (\(details))"
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

/// ISO 639's codes for one language are one language: `de` (639-1), `deu` (639-2/T) and `ger` (639-2/B).
package enum LanguageCode {
    /// Whether two tags name the same language; regions and scripts do not count (`pt-BR` is `por`).
    package static func isSame(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
        canonical(one) == canonical(other)
    }

    /// ISO 639-2/T's code where the tag is one of ISO 639's, else the tag's first part.
    package static func canonical(_ tag: some StringProtocol) -> String {
        let language = tag.lowercased().prefix { $0 != "-" && $0 != "_" }
        return codes[String(language)] ?? String(language)
    }

    /// The tag with the shortest code for its language, as RFC 5646 asks for: `en` for `eng`, `pt-BR` for `por-BR`.
    package static func shortest(_ tag: some StringProtocol) -> String {
        let language = tag.prefix { $0 != "-" && $0 != "_" }
        let rest = String(tag.dropFirst(language.count).map { $0 == "_" ? "-" : $0 })
        return (shortCodes[canonical(language)] ?? language.lowercased()) + rest
    }

    private static let shortCodes = Dictionary(
        codes.filter { $0.key.count == 2 }.map { ($0.value, $0.key) }, uniquingKeysWith: min)

    private static let codes: [String: String] = {
        var codes: [String: String] = [:]
        for entry in table.split(separator: ",") {
            let words = entry.split { $0 == " " || $0 == "\n" }.map(String.init)
            for word in words { codes[word] = words[1] }
        }
        return codes
    }()

    /// Of each language that has a code of two letters: that, ISO 639-2/T's, and ISO 639-2/B's where it is another one.
    private static let table = """
        aa aar, ab abk, ae ave, af afr, ak aka, am amh, an arg, ar ara, as asm, av ava, ay aym, az aze, ba bak,
        be bel, bg bul, bh bih, bi bis, bm bam, bn ben, bo bod tib, br bre, bs bos, ca cat, ce che, ch cha, co cos,
        cr cre, cs ces cze, cu chu, cv chv, cy cym wel, da dan, de deu ger, dv div, dz dzo, ee ewe, el ell gre,
        en eng, eo epo, es spa, et est, eu eus baq, fa fas per, ff ful, fi fin, fj fij, fo fao, fr fra fre, fy fry,
        ga gle, gd gla, gl glg, gn grn, gu guj, gv glv, ha hau, he heb, hi hin, ho hmo, hr hrv, ht hat, hu hun,
        hy hye arm, hz her, ia ina, id ind, ie ile, ig ibo, ii iii, ik ipk, io ido, is isl ice, it ita, iu iku,
        ja jpn, jv jav, ka kat geo, kg kon, ki kik, kj kua, kk kaz, kl kal, km khm, kn kan, ko kor, kr kau, ks kas,
        ku kur, kv kom, kw cor, ky kir, la lat, lb ltz, lg lug, li lim, ln lin, lo lao, lt lit, lu lub, lv lav,
        mg mlg, mh mah, mi mri mao, mk mkd mac, ml mal, mn mon, mr mar, ms msa may, mt mlt, my mya bur, na nau,
        nb nob, nd nde, ne nep, ng ndo, nl nld dut, nn nno, no nor, nr nbl, nv nav, ny nya, oc oci, oj oji, om orm,
        or ori, os oss, pa pan, pi pli, pl pol, ps pus, pt por, qu que, rm roh, rn run, ro ron rum, ru rus, rw kin,
        sa san, sc srd, sd snd, se sme, sg sag, si sin, sk slk slo, sl slv, sm smo, sn sna, so som, sq sqi alb,
        sr srp, ss ssw, st sot, su sun, sv swe, sw swa, ta tam, te tel, tg tgk, th tha, ti tir, tk tuk, tl tgl,
        tn tsn, to ton, tr tur, ts tso, tt tat, tw twi, ty tah, ug uig, uk ukr, ur urd, uz uzb, ve ven, vi vie,
        vo vol, wa wln, wo wol, xh xho, yi yid, yo yor, za zha, zh zho chi, zu zul
        """
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
