import VTXMedia
import VTXTask
import VTXTranscode

/// What `vtx transcode` was told: the request, and how to talk about it.
struct TranscodeSettings: CommandSettings {
    var request = TranscodeRequest(input: "")

    // Parts of the request that only make sense together; `completed()` puts them there.
    var quality: Quality?
    var bitrate: Int?
    var maxBitrate: Int?
    var profileName: String?

    var outputDirectory: String?
    /// Arguments after the first two, with `outputDirectory`.
    var furtherInputs: [String] = []
    /// The options, as they were given.
    var optionArguments: [String] = []

    var explains = false
    var printsJSON = false
    var isQuiet = false
    var isVerbose = false
    var progress: ProgressStyle = .auto

    init() {}
}

/// How the progress of a transcode is shown.
enum ProgressStyle: String, Sendable, CaseIterable {
    /// A bar on a terminal, nothing elsewhere.
    case auto
    /// A bar, even where stderr does not look like a terminal.
    case bar
    /// ffmpeg's `key=value` blocks on stdout, for programs that read those.
    case ffmpeg
    case none
}

extension TranscodeSettings {
    /// The settings with a whole request, once the values have been held against each other.
    func completed() throws(UsageError) -> TranscodeSettings {
        var settings = self
        settings.request.rateControl = try rateControl()
        settings.request.profile = try profile()
        try checkSilence()
        if printsJSON, progress == .ffmpeg {
            throw .contradiction("--json and --progress ffmpeg both want standard output", hint: nil)
        }
        if request.hardware == .off, request.forbidsFallbacks {
            throw .contradiction(
                "--fail-on-fallback and --hw off contradict each other", hint: "without hardware all is software")
        }
        return settings
    }

    /// With an output directory, what becomes of its inputs; nil for one input.
    func batch() throws(UsageError) -> BatchPlan? {
        guard let outputDirectory else {
            if let argument = furtherInputs.first { throw .unexpectedInput(argument) }
            return nil
        }
        return try BatchPlan([request.input] + [request.output].compactMap(\.self) + furtherInputs, to: outputDirectory)
    }

    /// Options that would do nothing beside others.
    private func checkSilence() throws(UsageError) {
        if let size = request.size, !size.isExact, request.scaling != .letterbox {
            throw .contradiction("--scaling and --size \(size) contradict each other", hint: "one side keeps the shape")
        }
        if request.start != nil, request.timestamps == .source {
            throw .contradiction(
                "--start and --timestamps source contradict each other",
                hint: "what begins inside the source begins at zero"
            )
        }
        guard request.audio == .none else { return }
        if request.selection.audio != .all {
            throw .contradiction("--audio none and --audio-streams contradict each other", hint: nil)
        }
        if request.audioBitrate != nil {
            throw .contradiction("--audio none and --audio-bitrate contradict each other", hint: nil)
        }
    }

    private func rateControl() throws(UsageError) -> RateControl? {
        guard let bitrate else {
            return quality == nil && maxBitrate == nil ? nil : .quality(quality ?? .standard, max: maxBitrate)
        }
        if let maxBitrate, maxBitrate < bitrate {
            throw .contradiction(
                "--max-bitrate (\(maxBitrate) bit/s) is less than --bitrate (\(bitrate) bit/s)",
                hint: "the maximum is what one second may take; it cannot be less than the average")
        }
        return .bitrate(average: bitrate, max: maxBitrate)
    }

    private func profile() throws(UsageError) -> VideoProfile? {
        guard let profileName else { return nil }
        let matches = VideoCodec.allCases.compactMap { VideoProfile(named: profileName, codec: $0) }
        if let codec = request.codec {
            if let match = matches.first(where: { $0.codec == codec }) { return match }
            let names = VideoProfile.allCases.filter { $0.codec == codec }.map(\.name)
            throw .contradiction(
                "--profile: '\(profileName)' is not a profile of \(codec); expected \(alternatives(names))",
                hint: nil)
        }
        guard matches.count == 1 else {
            throw .contradiction(
                "--profile: both codecs have a profile '\(profileName)'", hint: "add --hevc or --h264")
        }
        return matches[0]
    }
}
