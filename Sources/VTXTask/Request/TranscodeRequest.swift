package import VTXMedia
package import VTXSystem

/// What a user asked for. A nil means "not said": the plan then follows the source or the defaults.
package struct TranscodeRequest: Sendable, Hashable {
    package var input: String
    /// Of a raw stream; nil for what its headers say.
    package var inputFrameRate: Rational?
    /// nil: a name beside the input, see `OutputChoice`.
    package var output: String?
    package var overwrite: OverwritePolicy = .refuse
    /// The output takes the source's place.
    package var replacesSource = false
    /// nil keeps none: a transcode that is killed starts over.
    package var journal: JournalRequest?
    /// MP4 and MOV in pieces that can be played while more are being written.
    package var isFragmented = false
    /// How large the output may be, as a share of the source's size; nil for any size.
    package var maxSizeRatio: Double?
    /// nil: all that replaces its source, samples of anything else.
    package var verification: VerificationLevel?

    package var codec: VideoCodec?
    /// As users write it; `profile` is what it means.
    package var profileName: String?
    package var quality: Quality?
    /// Bits per second on average.
    package var bitrate: Int?
    /// Bits that any one second may take.
    package var maxBitrate: Int?
    package var preset: EncoderPreset = .balanced
    package var keyFrameInterval: KeyFrameInterval?
    package var allowsBFrames = true
    package var parallelism = ParallelRequest.standard

    package var size: SizeRequest?
    package var scaling: ScalingMode = .letterbox
    package var frameRate: Rational?
    package var deinterlace: DeinterlacePolicy = .auto
    package var dynamicRange: DynamicRangePolicy = .keep
    /// Turn the pixels themselves instead of keeping the display matrix.
    package var rotatesPixels = false

    package var hardware: HardwarePolicy = .auto
    package var device = DeviceSelector.auto
    package var hardwareEncoder = HardwareEncoderOptions()

    package var audio: AudioChoice = .copy
    /// Bits per second of a converted audio stream; nil: by codec and channel count.
    package var audioBitrate: Int?
    package var selection = StreamSelection()

    /// Seconds from the source's first timestamp.
    package var start: Double?
    /// Seconds of output.
    package var duration: Double?
    package var timestamps: TimestampPolicy = .auto

    /// Anything given up becomes an error instead of a message.
    package var forbidsDowngrades = false
    /// Software in a GPU's place becomes an error instead of a message.
    package var forbidsFallbacks = false

    package init(input: String, output: String? = nil) {
        self.input = input
        self.output = output
    }
}

package enum DeinterlacePolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// Frames that say they are interlaced.
    case auto
    /// Every frame, whatever it says.
    case on
    case off
}

extension TranscodeRequest {
    /// The profile that was asked for; nil for none, and for a name that several codecs have where no codec is said.
    package var profile: VideoProfile? {
        get {
            let found = VideoProfile.allCases.filter { $0.name == profileName || $0.qualifiedName == profileName }
            return found.first { $0.codec == codec } ?? (found.count == 1 ? found[0] : nil)
        }
        set { profileName = newValue?.qualifiedName }
    }

    package var rateControl: RateControl? {
        get {
            if let bitrate { return .bitrate(average: bitrate, max: maxBitrate) }
            return quality == nil && maxBitrate == nil ? nil : .quality(quality ?? .standard, max: maxBitrate)
        }
        set {
            (quality, bitrate, maxBitrate) = (nil, nil, nil)
            switch newValue {
            case .quality(let wanted, let max): (quality, maxBitrate) = (wanted, max)
            case .bitrate(let average, let max): (bitrate, maxBitrate) = (average, max)
            case nil: break
            }
        }
    }
}

/// How many segments of the video are encoded at one time.
package enum ParallelRequest: Sendable, Hashable {
    /// By the machine and the work.
    case auto
    case count(Int)

    package static let standard = ParallelRequest.count(1)
    /// Seconds of a segment, at least.
    package static let segmentSeconds = 10
}

/// What becomes of HDR.
package enum DynamicRangePolicy: String, Sendable, Hashable, CaseIterable, Codable {
    case keep
    /// Tone mapping; what is SDR already stays as it is.
    case sdr
}

/// Where the output's timestamps start.
package enum TimestampPolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// As the source's do, unless these start anywhere, as a broadcast's do.
    case auto
    /// As the source's do.
    case source
    /// At zero.
    case zero
}

package enum AudioCodec: String, Sendable, Hashable, CaseIterable, Codable {
    case aac
    case ac3
    case eac3
    case flac
    case mp3
    case opus
}

package enum AudioChoice: Sendable, Hashable {
    /// As it is, where the container holds it; else as AAC, in WebM as Opus.
    case copy
    case encode(AudioCodec)
    case none
}

/// The size that was asked for, as the viewer sees the frames: both sides, one, or an upper limit.
package struct SizeRequest: Sendable, Hashable, Codable {
    package var width: Int?
    package var height: Int?
    /// Frames that fit stay as they are.
    package var isLimit: Bool

    package init(width: Int?, height: Int?, isLimit: Bool = false) {
        (self.width, self.height, self.isLimit) = (width, height, isLimit)
    }

    package init(_ width: Int, _ height: Int) { self.init(width: width, height: height) }

    /// Reads `1280x720`, `1280x` and `x720`; nil for anything else.
    package init?(_ text: some StringProtocol, isLimit: Bool = false) {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        let sides = parts.map { Int($0) }
        guard parts.count == 2, zip(parts, sides).allSatisfy({ $0.isEmpty || ($1 ?? 0) > 0 }),
            sides[0] != nil || sides[1] != nil
        else { return nil }
        self.init(width: sides[0], height: sides[1], isLimit: isLimit)
    }

    /// Both sides are given: frames of another shape have to be fitted.
    package var isExact: Bool { width != nil && height != nil && !isLimit }
}

extension SizeRequest {
    /// The size for frames as they are shown, in square samples; nil where they stay as they are.
    ///
    /// Sides that follow from the other one are even, the nearest that keep the shape.
    ///
    /// - Parameter aspectRatio: of the source's samples; not positive means square.
    package func size(for shown: PixelSize, aspectRatio: Rational) -> PixelSize? {
        let shownWidth = Double(shown.width) * (aspectRatio.isPositive ? aspectRatio.value : 1)
        if isExact, let width, let height { return PixelSize(width, height) }
        let scales = [width.map { Double($0) / shownWidth }, height.map { Double($0) / Double(shown.height) }]
        let scale = scales.compactMap(\.self).min() ?? 1
        if isLimit, scale >= 1, shown.width <= width ?? .max { return nil }
        return PixelSize(
            side(shownWidth * scale, width), side(Double(shown.height) * scale, height))
    }

    private func side(_ length: Double, _ wanted: Int?) -> Int {
        let even = max(2, Int((length / 2).rounded()) * 2)
        guard let wanted else { return even }
        return isLimit ? min(even, max(2, wanted & ~1)) : wanted
    }
}

extension SizeRequest: CustomStringConvertible {
    package var description: String { "\(width.map(String.init) ?? "")x\(height.map(String.init) ?? "")" }
}

/// How much of the finished output is decoded again and compared with what was encoded.
package enum VerificationLevel: String, Sendable, Hashable, CaseIterable, Codable {
    /// Every frame.
    case full
    /// Some groups of pictures, and key frames between them.
    case sample
    /// Nothing beyond the first frame.
    case off
}
