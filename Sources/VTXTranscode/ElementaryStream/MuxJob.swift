import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
package import VTXTask

extension MuxJob {
    /// Muxes the stream. Blocks until the output is complete, or removed after an error.
    ///
    /// - Parameter willWrite: Called with the output before anything is written.
    package func run(
        _ cancellation: Cancellation, willWrite: (String) -> Void = { _ in }
    ) throws(TranscodeError) -> TranscodeResult {
        let start = ContinuousClock.now
        _ = try InputFile.check(input)
        let container = try container()
        let output = ElementaryStreamOutput(
            path: output, input: input, overwrite: overwrite, cancellation: cancellation)
        guard try output.isWanted() else { return .skipped(output.path) }
        willWrite(output.path)
        let survey = try ElementaryStreamScan(path: input, codec: codec(container), output)
        let plan = try MuxPlan(self, container, survey)
        var written = ContentDigest()
        try output.write(
            { file throws(TranscodeError) in
                var writer = try MuxWriter(plan, file, output)
                written = try writer.write()
            },
            check: { file throws(TranscodeError) in
                try MuxCheck(plan, file, output).check(written)
            })
        return plan.result(output.path, elapsed: (ContinuousClock.now - start) / .seconds(1))
    }

    private func container() throws(TranscodeError) -> Container {
        let pathExtension = FileName.split(output).pathExtension
        let containers = Container.allCases.filter { !$0.isElementaryStream && $0.videoCodecs.contains(.h264) }
        guard let container = Container(fileExtension: pathExtension), containers.contains(container) else {
            throw .outputExtension(pathExtension, of: output, allowed: containers)
        }
        return container
    }

    private func codec(_ container: Container) throws(TranscodeError) -> NALCodec {
        let video = try NALSource.open(input, videoPosition: 0, codec: nil)
        guard case .byteStream = video.source else {
            throw TranscodeError(
                .inputContainer, "'\(input)' is a container already, not a byte stream",
                hint: "vtx extract takes its video out; vtx transcode converts it")
        }
        return video.codec
    }
}

/// Writes the samples of a byte stream to a container.
struct MuxWriter {
    private let plan: MuxPlan
    private let output: ElementaryStreamOutput
    private let muxer: Muxer
    private var digest = ContentDigest()

    init(_ plan: MuxPlan, _ file: AtomicFile, _ output: ElementaryStreamOutput) throws(TranscodeError) {
        self.plan = plan
        self.output = output
        do {
            muxer = try Muxer(path: file.openedPath, format: plan.container.muxerName)
            _ = try muxer.addStream(plan.description)
            try muxer.writeHeader(
                options: MuxerOptions.all(for: plan.container, timeBase: plan.timeBase, path: output.path))
        } catch {
            throw TranscodeError(error, writing: output.path)
        }
    }

    /// - Returns: the digest of the NAL units that must be read back.
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

    /// Returns the data for the container: with four-byte length prefixes, or with start codes.
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

/// Checks a muxed stream by reading it again: the same NAL units, shown at the planned times.
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
        else { throw .check(.verificationUnits, "it has no \(plan.codec) video") }
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
                "\(found.unitCount) NAL units are read instead of the \(written.unitCount) written")
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

    /// Compares each timestamp to the tick. This includes decoding order, in which the timestamps are.
    private func checkTimes(_ times: [Int64], _ timeBase: Rational) throws(TranscodeError) {
        // libavformat's MPEG-TS demuxer returns each field of a frame as a packet with its own time.
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
