import VTXFFmpeg
import VTXMedia

/// An encoded packet for one output.
struct CapturePacket: Sendable {
    /// A separate reference for the output.
    var packet: Packet
    var parameters: CodecParameters
    var format: CaptureStreamFormat
    var isAudio = false
    /// The time of the frame's capture, in seconds on the monotonic clock; nil if unknown.
    var captureTime: Double?

    /// Whether decoding can start here.
    var isKeyFrame: Bool { !isAudio && packet.isKeyFrame }

    /// The decoding timestamp, in ticks of `CaptureTimeline.timeBase`.
    var ticks: Int64? { packet.decodingTime?.rescaled(to: CaptureTimeline.timeBase).ticks }
}

/// The properties of a stream besides its parameters.
struct CaptureStreamFormat: Sendable {
    var codec: VideoCodec
    var frameRate: Rational
    var color: ColorDescription
    var hdrMetadata = HDRMetadata()
    /// nil for an output that contains none.
    var displayMatrix: DisplayMatrix?
    /// Whether the encoder leaves parameter sets to the header.
    var usesGlobalHeader: Bool
    /// nil without audio.
    var audio: CaptureAudioFormat?
}

extension CapturePacket {
    /// The index of its stream in an output.
    var stream: Int { isAudio ? 1 : 0 }

    /// How much video may wait for audio that has stopped, in seconds.
    private static let longestInterleaving = 0.5

    /// Adds the video stream that starts with this packet, and the audio stream, to a muxer.
    ///
    /// - Parameter codecTag: The video's tag; 0 lets the container choose.
    func addStreams(to muxer: Muxer, codecTag: UInt32 = 0, withAudio: Bool = true) throws(FFmpegError) {
        var video = description
        video.codecTag = codecTag
        muxer.limitInterleaving(to: Self.longestInterleaving)
        _ = try muxer.addStream(video)
        guard withAudio, let audio = format.audio else { return }
        var description = OutputStreamDescription(parameters: audio.parameters, timeBase: audio.timeBase)
        // Packets before the first frame are dropped, including the priming samples.
        description.initialPadding = 0
        _ = try muxer.addStream(description)
    }

    private var description: OutputStreamDescription {
        var description = OutputStreamDescription(parameters: parameters, timeBase: CaptureTimeline.timeBase)
        description.frameRate = format.frameRate
        description.color = format.color
        description.hdrMetadata = format.hdrMetadata
        description.displayMatrix = format.displayMatrix
        return description
    }

    /// Returns the packet with parameter sets before key frames, if the encoder leaves them to a header that the format
    /// lacks.
    func withParameterSets(for muxerName: String) throws(FFmpegError) -> Packet {
        guard format.usesGlobalHeader, !Muxer.wantsGlobalHeader(format: muxerName) else { return packet }
        return try withParameterSets()
    }

    func withParameterSets() throws(FFmpegError) -> Packet {
        let sets = parameters.extradata
        guard isKeyFrame, !sets.isEmpty else { return packet }
        return try packet.replacing(bytes: sets + Array(packet.bytes))
    }
}

/// The parameter sets in a muxer's header. Key frames of an encoder that has taken over bring their own.
struct HeaderParameterSets: Sendable {
    private let muxerName: String
    private let extradata: [UInt8]

    /// - Parameter packet: The video packet for which the header was written.
    init(for packet: CapturePacket, in muxerName: String) {
        self.muxerName = muxerName
        extradata = packet.parameters.extradata
    }

    /// Returns the packet with the parameter sets that its decoder has not received.
    func complete(_ packet: CapturePacket) throws(FFmpegError) -> Packet {
        guard packet.isKeyFrame, packet.parameters.extradata != extradata else {
            return try packet.withParameterSets(for: muxerName)
        }
        guard muxerName == "flv" else { return try packet.withParameterSets() }
        // FLV has them only in a header, which libavformat then writes again.
        let copy = try packet.packet.reference()
        try copy.setNewExtradata(packet.parameters.extradata)
        return copy
    }
}
