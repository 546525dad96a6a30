import VTXFFmpeg
package import VTXMedia
package import VTXSession
package import VTXTask

/// Tests a device: processes a few frames and compares the result with the expected one.
///
/// The device's driver may crash or hang: run it in a process of its own.
package struct SelfTest {
    let session: any DeviceSession
    let size: PixelSize

    /// The height is not a multiple of 16, to detect a driver that does not crop.
    private static let usualSize = PixelSize(320, 180)
    /// In dB. A good encoder reaches 50 at this bit rate, one with broken B frames 24; noise and black are below 10.
    static let floor = 20.0
    /// In dB. Noise and black are below it.
    static let curveFloor = 10.0

    /// - Parameter sizes: The sizes that the device supports.
    package init(_ session: any DeviceSession, sizes: (min: PixelSize, max: PixelSize)? = nil) {
        self.session = session
        let (low, high) = sizes ?? (Self.usualSize, Self.usualSize)
        size =
            PixelSize(
                max(low.width, min(Self.usualSize.width, high.width)),
                max(low.height, min(Self.usualSize.height, high.height))
            ).roundedDownToEven
    }

    /// Encodes on the device and decodes in software.
    package func encode(_ profile: VideoProfile) -> SelfTestResult {
        attempt {
            let format = PixelFormat.planar(profile.maxChroma, bitDepth: profile.maxBitDepth)
            let picture = TestPattern(size: size, pixelFormat: format)
            let clip = try encode(picture, as: profile)
            try check(clip.stream.parameters, profile, format)
            let frames = try clip.decode(try clip.packets())
            return try judge(frames, from: picture.frames(), floor: Self.floor)
        }
    }

    /// Encodes in software and decodes both on the device and in software. The results must match.
    ///
    /// - Parameters:
    ///   - codec: The libavcodec name.
    ///   - profile: The profile of the codec, if vtx knows it.
    package func decode(_ codec: String, bitDepth: Int, profile: VideoProfile?) -> SelfTestResult {
        attempt {
            guard let coding = TestEncoder(codec: codec, profile: profile) else {
                return SelfTestResult(.skipped, evidence: "this FFmpeg has no encoder for \(codec) to make a clip with")
            }
            let picture = TestPattern(size: size, pixelFormat: .planar(.yuv420, bitDepth: bitDepth))
            let clip = try TestClip(try coding.encode(picture))
            let packets = try clip.packets()
            let copies = try packets.map { packet throws(FFmpegError) in try packet.reference() }
            let frames = try decode(copies, of: clip.stream)
            return try judge(
                frames, from: try clip.decode(packets), floor: TestEncoder.isExact(codec) ? .infinity : Self.floor)
        }
    }

    func attempt(_ body: () throws -> SelfTestResult) -> SelfTestResult {
        do { return try body() } catch let failure as SelfTestFailure {
            return SelfTestResult(.failed, evidence: failure.evidence)
        } catch let error as SessionError {
            return SelfTestResult(.failed, evidence: error.message)
        } catch {
            return SelfTestResult(.failed, evidence: "\(error)")
        }
    }

    func judge(_ frames: [Frame], from expected: [Frame], floor: Double) throws -> SelfTestResult {
        let psnr = try PSNR.psnr(frames, from: expected)
        let rounded = psnr.isFinite ? (psnr * 10).rounded() / 10 : nil
        guard psnr < floor, let rounded else { return SelfTestResult(.passed, frames: frames.count, psnr: rounded) }
        let allowed = floor.isFinite ? "at least \(Int(floor)) dB" : "no difference at all"
        return SelfTestResult(
            .failed, frames: frames.count, psnr: rounded,
            evidence: "the pictures differ from the input: PSNR \(rounded) dB, expected \(allowed)")
    }
}

/// A failure, as text for users.
struct SelfTestFailure: Error {
    var evidence: String

    init(_ evidence: String) { self.evidence = evidence }
}

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
        guard !packets.isEmpty else { throw SelfTestFailure("the encoder produced no output") }
        return try TestClip(EncodedTestClip(packets: packets, parameters: encoder.parameters))
    }

    /// Checks what the stream declares.
    func check(_ stream: CodecParameters, _ profile: VideoProfile, _ format: PixelFormat) throws {
        guard stream.codecName == profile.codec.rawValue else {
            throw SelfTestFailure("the stream is \(stream.codecName) instead of \(profile.codec)")
        }
        guard stream.size == size else { throw SelfTestFailure("the stream has \(stream.size) instead of \(size)") }
        guard stream.pixelFormat.hasSamples(like: format) else {
            throw SelfTestFailure("the stream has \(stream.pixelFormat) instead of \(format)")
        }
        let found = stream.profileName ?? "no profile"
        guard found == profile.streamName else {
            throw SelfTestFailure("the stream has profile \(found) instead of \(profile.streamName)")
        }
    }

    func decode(_ packets: [Packet], of stream: InputStream) throws -> [Frame] {
        let decoder = try session.makeDecoder(DecoderConfiguration(stream: stream))
        let download = try session.makeDownload(as: nil)
        var frames: [Frame] = []
        for packet in packets.map(Optional.some) + [nil] {
            try decoder.send(packet)
            while case .unit(let frame) = try decoder.receive() {
                // libavcodec falls back to software silently where the driver refuses a stream.
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
    /// The libavcodec name of the profile in the stream.
    fileprivate var streamName: String {
        switch self {
        case .baseline: "Constrained Baseline"
        case .h264Main, .hevcMain, .av1Main: "Main"
        case .high: "High"
        case .high10: "High 10"
        case .high422: "High 4:2:2"
        case .high444: "High 4:4:4 Predictive"
        case .main10: "Main 10"
        case .main422x10, .main444x8, .main444x10: "Rext"
        }
    }
}
