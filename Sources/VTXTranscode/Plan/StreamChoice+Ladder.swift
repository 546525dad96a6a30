import VTXFFmpeg
import VTXMedia
import VTXTask

// The audio of a ladder. Every player has stereo AAC; surround, also in Dolby's codecs, is an alternative to it.
extension StreamChoice {
    /// A requested output stream.
    struct WantedStream {
        var stream: InputStream
        var audio: AudioRequest
        /// The rank in the output among streams of its kind.
        var rank: Int
    }

    /// Returns the versions of a stream in a ladder: surround follows its stereo version.
    func versions(of wanted: WantedStream) -> [WantedStream] {
        guard wanted.stream.kind == .audio, wanted.audio.coding != .none else { return [wanted] }
        guard wanted.isSurround else { return [wanted.withoutSurroundCodec] }
        let isKept = isSelected(wanted.stream.info) && !isEncrypted(wanted.stream)
        guard isKept, wanted.stream.isKnown, wanted.stream.parameters.hasDecoder else { return [wanted] }
        var stereo = wanted
        (stereo.audio.coding, stereo.audio.channels) = (.copy, .stereo)
        stereo.audio.reason = "for players without surround"
        // The requested rate may be for surround.
        let usual = AudioCodec.aac.defaultBitrate(channels: ChannelLimit.stereo.count)
        stereo.audio.bitrate = wanted.audio.bitrate.map { min($0, usual ?? $0) }
        return [stereo, wanted]
    }
}

extension StreamChoice.WantedStream {
    /// Whether the output has more channels than stereo.
    fileprivate var isSurround: Bool {
        min(stream.channelCount, audio.channels?.count ?? .max) > ChannelLimit.stereo.count
    }

    /// The same in AAC, instead of a codec that a ladder has only for surround.
    fileprivate var withoutSurroundCodec: Self {
        var codec = AudioCodec(rawValue: stream.codecName)
        if case .encode(let wanted) = audio.coding { codec = wanted }
        guard let codec, LadderRequest.surroundCodecs.contains(codec) else { return self }
        var wanted = self
        wanted.audio.coding = .copy
        guard stream.codecName != AudioCodec.aac.rawValue else { return wanted }
        wanted.audio.coding = .encode(.aac)
        wanted.audio.reason = "stereo is AAC in HLS and DASH"
        return wanted
    }
}
