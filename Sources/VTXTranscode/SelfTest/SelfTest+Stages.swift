import VTXFFmpeg
import VTXMedia
import VTXSession

// The codecs, each alone on the device.
extension SelfTest {
    func encode(_ picture: TestPattern, as profile: VideoProfile) throws -> TestClip {
        let encoder = try session.makeEncoder(
            EncoderConfiguration(
                codec: profile.codec, profile: profile, size: size, pixelFormat: picture.pixelFormat,
                timeBase: TestPattern.rate.reciprocal, frameRate: TestPattern.rate,
                rateControl: .bitrate(average: 2_000_000, max: nil),
                maxKeyFrameInterval: 6, allowsFrameReordering: profile.allowsBFrames))
        var packets: [Packet] = []
        for frame in try picture.frames().map(Optional.some) + [nil] {
            try encoder.send(frame, forcesKeyFrame: false)
            while case .unit(let packet) = try encoder.receive() { packets.append(packet) }
        }
        guard !packets.isEmpty else { throw SelfTestFailure("nothing came out of the encoder") }
        return try TestClip(EncodedTestClip(packets: packets, parameters: encoder.parameters))
    }

    /// What the stream says of itself.
    func check(_ stream: CodecParameters, _ profile: VideoProfile, _ format: PixelFormat) throws {
        guard stream.codecName == profile.codec.rawValue else {
            throw SelfTestFailure("the stream is \(stream.codecName) instead of \(profile.codec)")
        }
        guard stream.size == size else { throw SelfTestFailure("the stream says \(stream.size) instead of \(size)") }
        guard stream.pixelFormat.hasSamples(like: format) else {
            throw SelfTestFailure("the stream says \(stream.pixelFormat) instead of \(format)")
        }
        let found = stream.profileName ?? "no profile"
        guard found == profile.streamName else {
            throw SelfTestFailure("the stream says profile \(found) instead of \(profile.streamName)")
        }
    }

    func decode(_ packets: [Packet], of stream: InputStream) throws -> [Frame] {
        let decoder = try session.makeDecoder(DecoderConfiguration(stream: stream))
        let download = try session.makeDownload(as: nil)
        var frames: [Frame] = []
        for packet in packets.map(Optional.some) + [nil] {
            try decoder.send(packet)
            while case .unit(let frame) = try decoder.receive() {
                // libavcodec goes on in software, without a word, where the driver refuses a stream.
                guard frame.isOnSurface || !session.capabilities.isHardware else {
                    throw SelfTestFailure("the driver refused the stream")
                }
                try download.send(frame)
                while case .unit(let picture) = try download.receive() { frames.append(picture) }
            }
        }
        return frames
    }
}

extension VideoProfile {
    /// libavcodec's name of what a stream of this profile says.
    fileprivate var streamName: String {
        switch self {
        case .baseline: "Constrained Baseline"
        case .h264Main, .hevcMain: "Main"
        case .high: "High"
        case .high10: "High 10"
        case .high422: "High 4:2:2"
        case .high444: "High 4:4:4 Predictive"
        case .main10: "Main 10"
        case .main422x10, .main444x8, .main444x10: "Rext"
        }
    }
}
