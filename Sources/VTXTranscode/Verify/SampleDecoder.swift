import VTXFFmpeg
import VTXMedia
import VTXTask

/// Decodes the sampled frames of a written file in software, and compares them with what was encoded.
///
/// It is given every packet of the video in turn: it decodes key frames alone, and the last group of pictures whole.
struct SampleDecoder {
    /// dB between signatures. At the worst quantizer (51), x264 and x265 keep 24 of key frames of hard material, and 19 of
    /// other frames; gray, green and frames of other scenes are below 16.
    private static let (keyFrameFloor, floor) = (22.0, 18.0)
    /// Where the original of the last key frame is further away than `change`, a frame has to be nearer to its own one
    /// by `lead`: else the encoder does not follow its input.
    private static let (change, lead) = (24.0, 1.5)

    /// The first frame of all.
    private(set) var first: Frame?
    /// What is wrong with the frames; nil for nothing.
    private(set) var failure: TranscodeError?
    private let samples: OutputSamples
    private let index: Int?
    private let decoder: DecoderContext?
    private var position = 0
    /// The original of the last key frame that was compared.
    private var earlier: FrameSignature?
    private var decodedOfGroup = 0

    init(_ samples: OutputSamples, of stream: InputStream?) {
        self.samples = samples
        index = stream?.index
        // One thread: key frames that are decoded alone gain nothing from more.
        decoder = stream.flatMap { try? DecoderContext($0, threads: 1) }
    }

    mutating func add(_ packet: Packet) {
        guard let decoder, packet.streamIndex == index, failure == nil else { return }
        defer { position += 1 }
        do {
            if samples.lastGroup.packets.contains(position) {
                try decoder.send(packet)
                try takeGroup(from: decoder)
            } else if position == 0 || samples.keyFrames[position] != nil {
                try decodeAlone(packet, with: decoder)
            }
        } catch {
            failure = .check(
                .verificationUndecodable, "a decoder cannot read \(place(packet.presentationTime)): \(error)")
        }
    }

    /// There are no more packets.
    mutating func finish() {
        guard let decoder, failure == nil, decodedOfGroup < samples.lastGroup.frames.count else { return }
        do {
            try decoder.send(nil)
            try takeGroup(from: decoder)
        } catch {
            failure = .check(.verificationUndecodable, "a decoder cannot read the last frames: \(error)")
        }
        let missing = samples.lastGroup.frames.count - decodedOfGroup
        if failure == nil, missing > 0 {
            failure = .check(.verificationUndecodable, "a decoder finds \(missing) of the last frames missing")
        }
    }

    private mutating func decodeAlone(_ packet: Packet, with decoder: DecoderContext) throws(FFmpegError) {
        try decoder.send(packet)
        try decoder.send(nil)
        guard case .unit(let frame) = try decoder.receive() else {
            let place = place(packet.presentationTime)
            return failure = .check(.verificationUndecodable, "a decoder finds no frame in \(place)")
        }
        try check(frame, against: samples.keyFrames[position], isKeyFrame: true)
        decoder.reset()
    }

    private mutating func takeGroup(from decoder: DecoderContext) throws(FFmpegError) {
        while case .unit(let frame) = try decoder.receive() {
            let isKeyFrame = decodedOfGroup == 0
            let frames = samples.lastGroup.frames
            let wanted = frames.indices.contains(decodedOfGroup) ? frames[decodedOfGroup] : nil
            decodedOfGroup += 1
            try check(frame, against: wanted, isKeyFrame: isKeyFrame)
        }
    }

    private mutating func check(
        _ frame: Frame, against wanted: FrameSignature?, isKeyFrame: Bool
    ) throws(FFmpegError) {
        frame.normalizeFullRangeFormat()
        if first == nil { first = frame }
        guard failure == nil else { return }
        if frame.isCorrupt {
            failure = .check(.verificationDamaged, "a decoder finds \(place(frame.presentationTime)) damaged")
            return
        }
        guard let wanted else { return }
        let psnr = try FrameSignature(frame).psnr(against: wanted)
        let stale = earlier?.psnr(against: wanted) ?? .infinity
        if isKeyFrame { earlier = wanted }
        let isStale = stale < Self.change && psnr < stale + Self.lead
        guard isStale || psnr < (isKeyFrame ? Self.keyFrameFloor : Self.floor) else { return }
        let decibels = (psnr * 10).rounded() / 10
        failure = .check(
            .verificationContent,
            "\(place(frame.presentationTime)) is not the one that was encoded (PSNR \(decibels) dB)")
    }

    private func place(_ time: MediaTime?) -> String { time.map { "the frame at \($0.seconds) s" } ?? "a frame" }
}
