import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// Writes a byte stream's samples into a container.
struct MuxWriter {
    private let plan: MuxPlan
    private let output: ElementaryStreamOutput
    private let muxer: Muxer
    private var digest = ContentDigest()

    init(_ plan: MuxPlan, _ file: AtomicFile, _ output: ElementaryStreamOutput) throws(TranscodeError) {
        self.plan = plan
        self.output = output
        do {
            muxer = try Muxer(path: file.openedPath, format: ContainerRules.of(plan.container).format)
            _ = try muxer.addStream(plan.description)
            try muxer.writeHeader(options: MuxerOptions.all(for: plan, output: output.path))
        } catch {
            throw TranscodeError(error, writing: output.path)
        }
    }

    /// - Returns: the digest of the NAL units that have to be found again.
    mutating func write() throws(TranscodeError) -> ContentDigest {
        var reader = try AccessUnitSampleReader(path: plan.input, codec: plan.codec)
        var index = 0
        while let sample = try reader.next() {
            try output.stopIfCancelled()
            guard index < plan.survey.sampleCount else { throw changed }
            try write(sample, index)
            index += 1
        }
        guard index == plan.survey.sampleCount else { throw changed }
        do { try muxer.finish() } catch { throw TranscodeError(error, writing: output.path) }
        return digest
    }

    private var changed: TranscodeError {
        TranscodeError(.inputChanged, "'\(plan.input)' has changed while it was read")
    }

    private mutating func write(_ sample: AccessUnitSample, _ index: Int) throws(TranscodeError) {
        let bytes = try bytes(of: sample)
        let order = plan.survey.order
        let (pts, dts) = (order.ranks[index] + plan.origin, index - order.delay + plan.origin)
        do {
            let packet = try Packet(
                bytes: bytes, pts: Int64(pts), dts: Int64(dts), duration: 1, timeBase: plan.timeBase,
                isKeyFrame: sample.isKeyFrame)
            try muxer.write(packet, to: 0)
        } catch {
            throw TranscodeError(error, writing: output.path)
        }
    }

    /// As the container holds them: after their lengths in four bytes, or after start codes.
    private mutating func bytes(of sample: AccessUnitSample) throws(TranscodeError) -> [UInt8] {
        var bytes: [UInt8] = []
        let plan = plan
        try sample.forEachUnit { unit, content throws(TranscodeError) in
            if plan.compares(unit) { digest.add(unit: content) }
            guard plan.keeps(unit) else { return }
            if plan.container == .ts {
                bytes += AnnexB.startCode
            } else {
                bytes.append(bigEndian: UInt32(truncatingIfNeeded: content.byteCount))
            }
            bytes.append(content)
        }
        return bytes
    }
}

extension MuxerOptions {
    /// What the muxers have to be told so that times stay as planned.
    static func all(for plan: MuxPlan, output: String) -> [(String, String)] {
        switch plan.container {
        case .mp4, .mov:
            [("movflags", "+faststart"), ("movie_timescale", "\(movieTimescale(plan.timeBase))")]
        case .mkv: [("avoid_negative_ts", "disabled")]
        case .ts: [("mpegts_copyts", "1"), ("max_delay", "0"), ("mpegts_m2ts_mode", isBluRay(output) ? "1" : "0")]
        case .h264, .h265: []
        }
    }
}
