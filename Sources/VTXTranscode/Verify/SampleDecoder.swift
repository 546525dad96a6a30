import VTXFFmpeg
import VTXMedia
import VTXTask

/// Decodes the sampled GOPs of a written file in software, and compares their frames with those that were encoded. It
/// takes every packet of the video in order.
struct SampleDecoder {
    /// The first frame of the video.
    private(set) var first: Frame?
    /// The first problem found; nil for none.
    private(set) var failure: TranscodeError? { didSet { failedPacket = groups.first?.firstPacket } }
    /// The index of the first packet of the wrong GOP.
    private(set) var failedPacket: Int?
    /// The compared frames.
    private(set) var report: VerificationReport
    /// The end of the packets that precede a sample which was right.
    private(set) var trustedPackets = 0
    private var groups: ArraySlice<OutputSamples.Group>
    private let index: Int?
    private let decoder: DecoderContext?
    private var quantizers: PictureQuantizers?
    /// The number of packets that x264 or x265 may have encoded, with adaptive quantization.
    private let softwarePackets: Int
    private var position = 0
    /// The quantizers of the current GOP's packets, and the number of its frames that have come out.
    private var (packets, decoded): ([Int?], Int) = ([], 0)
    /// The previous frame of the GOP.
    private var earlier: FrameSignature?

    /// - Parameters:
    ///   - mode: The one in which the samples were collected.
    ///   - softwarePackets: The number of packets at the beginning that x264 or x265 may have encoded.
    init(_ samples: OutputSamples, _ mode: VerificationLevel, of stream: InputStream?, softwarePackets: Int) {
        report = VerificationReport(mode)
        // The first frame shows what the stream is, also where nothing is sampled.
        let isFirstSampled = samples.groups.first?.firstPacket == 0
        let alone = OutputSamples.Group(firstPacket: 0, frames: [.init(place: 0, signature: nil)])
        groups = ((isFirstSampled ? [] : [alone]) + samples.groups)[...]
        index = stream?.index
        // One thread: with more, what libavcodec says of damage may come too late.
        decoder = stream.flatMap { try? DecoderContext($0, threads: 1) }
        quantizers = stream.flatMap(PictureQuantizers.init)
        self.softwarePackets = softwarePackets
    }

    mutating func add(_ packet: Packet) {
        guard let decoder, packet.streamIndex == index, failure == nil else { return }
        defer { position += 1 }
        guard let group = groups.first, group.packets.contains(position) else { return }
        packets.append(quantizers?.read(packet))
        do {
            try decoder.send(packet)
            try take(group, from: decoder)
            if position + 1 == group.packets.upperBound { try finish(group, with: decoder) }
        } catch {
            failure = .check(
                .verificationUndecodable, "a decoder cannot read \(place(packet.presentationTime)): \(error)")
        }
    }

    /// Decodes the rest after the last packet.
    mutating func finish() {
        guard let decoder, let group = groups.first, failure == nil, !packets.isEmpty else { return }
        do { try finish(group, with: decoder) } catch {
            failure = .check(.verificationUndecodable, "a decoder cannot read the last frames: \(error)")
        }
    }

    private mutating func finish(_ group: OutputSamples.Group, with decoder: DecoderContext) throws(FFmpegError) {
        try decoder.send(nil)
        try take(group, from: decoder)
        let missing = group.frames.count - decoded
        if failure == nil, missing > 0 {
            failure = .check(
                .verificationUndecodable,
                "\(missing) of the \(group.frames.count) decoded frames up to frame \(position) are missing")
        }
        if failure == nil, group.frames.contains(where: { $0.signature != nil }) {
            trustedPackets = group.packets.upperBound
        }
        decoder.reset()
        groups.removeFirst()
        (packets, decoded, earlier) = ([], 0, nil)
    }

    private mutating func take(_ group: OutputSamples.Group, from decoder: DecoderContext) throws(FFmpegError) {
        while case .unit(let frame) = try decoder.receive() {
            let wanted = group.frames.indices.contains(decoded) ? group.frames[decoded] : nil
            decoded += 1
            let adaptation = group.firstPacket < softwarePackets ? FrameRule.adaptation : 0
            try check(frame, against: wanted, adaptation: adaptation)
        }
    }

    /// - Parameter adaptation: What blocks may be coarser by than the slice headers say.
    private mutating func check(
        _ frame: Frame, against wanted: OutputSamples.Sample?, adaptation: Int
    ) throws(FFmpegError) {
        frame.normalizeFullRangeFormat()
        if first == nil { first = frame }
        guard failure == nil else { return }
        if frame.isCorrupt {
            failure = .check(.verificationDamaged, "\(place(frame.presentationTime)) is damaged")
            return
        }
        guard let wanted, let original = wanted.signature else { return earlier = nil }
        let quantizer = packets.indices.contains(Int(wanted.place)) ? packets[Int(wanted.place)] : nil
        let signature = try FrameSignature(frame)
        let (psnr, repeated) = (signature.psnr(against: original), earlier?.psnr(against: original))
        earlier = signature
        report.note(psnr: psnr, at: frame.presentationTime?.seconds)
        let coarsest = quantizer.map { $0 + adaptation } ?? FrameRule.coarsest
        guard FrameRule.isWrong(psnr: psnr, repeated: repeated, quantizer: coarsest) else { return }
        let decibels = (psnr * 10).rounded() / 10
        failure = .check(
            .verificationContent,
            "\(place(frame.presentationTime)) differs from the one that was encoded (PSNR \(decibels) dB)")
    }

    private func place(_ time: MediaTime?) -> String { time.map { "the frame at \($0.seconds) s" } ?? "a frame" }
}

/// The allowed difference between a decoded frame and its original.
///
/// A quantizer QP rounds to steps of 2^((QP - 4) / 6) (H.264 8.5.9, H.265 8.6.3), so the error of an encoder that
/// follows its input is always less than a fraction of such a step: the signatures of frames keep at least 56 - 0.8 QP
/// dB, whatever the content, where QP is the coarsest of their blocks'.
///
/// Encoders change the quantizer within a picture, which the slice header does not show. A frame with a larger error is
/// therefore wrong only if it exceeds the limit by a margin, or if the previous frame is closer to the original:
/// repeating that one costs nothing.
///
/// At the coarsest quantizer, x264 and x265 also leave out coefficients if the frame would exceed the VBV: no error is
/// too large for that.
enum FrameRule {
    /// The coarsest QP.
    static let coarsest = 51
    /// How much coarser than the slice header's quantizer blocks with sharp edges may be, with the adaptive quantization
    /// of x264 and x265.
    static let adaptation = 12
    /// In dB.
    private static let (margin, lead) = (5.0, 3.0)

    /// - Parameters:
    ///   - psnr: That of the frame's signature against its original, in dB.
    ///   - repeated: That of the previous frame's signature against the same original; nil for a key frame.
    ///   - quantizer: The coarsest one of the blocks, above 51 if it may have been coarser than possible. Below 10 the
    ///     rounding of the signatures dominates.
    static func isWrong(psnr: Double, repeated: Double?, quantizer: Int) -> Bool {
        let floor = 56 - 0.8 * Double(min(max(10, quantizer), coarsest))
        let isFar = quantizer <= coarsest && psnr < floor - margin
        return isFar || psnr < floor && psnr < (repeated ?? 0) - lead
    }
}
