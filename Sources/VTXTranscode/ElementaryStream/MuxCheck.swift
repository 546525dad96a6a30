import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// Reads a muxed stream again: the same NAL units, shown at the planned times.
struct MuxCheck {
    private let plan: MuxPlan
    private let file: AtomicFile
    private let output: ElementaryStreamOutput

    init(_ plan: MuxPlan, _ file: AtomicFile, _ output: ElementaryStreamOutput) {
        self.plan = plan
        self.file = file
        self.output = output
    }

    func check(_ written: ContentDigest) throws(TranscodeError) {
        let demuxer = try open()
        guard let stream = demuxer.streams.first(where: { $0.kind == .video }),
            stream.parameters.codecName == plan.codec.rawValue
        else { throw .check(.verificationUnits, "it holds no \(plan.codec) video") }
        var (found, times) = (ContentDigest(), [Int64]())
        do {
            var units = try PacketUnits(demuxer, stream, plan.codec, of: file.openedPath)
            while let packet = try demuxer.read() {
                try output.stopIfCancelled()
                try units.forEach(of: packet) { add($0, to: &found) }
                if let pts = packet.pts { times.append(pts) }
            }
        } catch let error as TranscodeError {
            throw error
        } catch {
            throw .check(.verificationUnits, "\(error)")
        }
        guard found == written else {
            throw .check(
                .verificationUnits,
                "\(found.unitCount) NAL units are read, and not the \(written.unitCount) written")
        }
        try checkTimes(times, stream.timeBase)
    }

    private func open() throws(TranscodeError) -> Demuxer {
        do { return try Demuxer(path: file.openedPath) } catch {
            throw .check(.verificationUnits, "it cannot be opened: \(error)")
        }
    }

    private func add(_ unit: RawSpan, to digest: inout ContentDigest) {
        let info = NALUnit(codec: plan.codec, range: 0..<unit.byteCount, in: unit)
        if plan.compares(info) { digest.add(unit: unit) }
    }

    /// Each time to the tick; decoding order is compared too, as the times are in it.
    private func checkTimes(_ times: [Int64], _ timeBase: Rational) throws(TranscodeError) {
        // What reads a transport stream gives the two fields of a frame a packet and a time each.
        guard plan.container != .ts || plan.survey.fieldPairCount == 0 else { return }
        guard times.count == plan.survey.sampleCount else {
            throw .check(.verificationUnits, "\(times.count) samples instead of \(plan.survey.sampleCount)")
        }
        for (rank, time) in zip(plan.survey.order.ranks, times) {
            let planned = MediaTime.rescale(Int64(rank + plan.origin), from: plan.timeBase, to: timeBase)
            guard abs(planned - time) <= 1 else {
                let seconds = [time, planned].map { "\(MediaTime($0, timeBase).seconds)" }
                throw .check(.verificationUnits, "a frame is at \(seconds[0]) s instead of \(seconds[1]) s")
            }
        }
    }
}
