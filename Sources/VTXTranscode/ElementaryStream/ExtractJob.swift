import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
package import VTXTask

extension ExtractJob {
    /// Extracts the stream. Blocks until the output is complete, or removed after an error.
    ///
    /// - Parameter willWrite: Called with the output before anything is written.
    package func run(
        _ cancellation: Cancellation, willWrite: (String) -> Void = { _ in }
    ) throws(TranscodeError) -> TranscodeResult {
        let start = ContinuousClock.now
        let byteCount = try InputFile.check(input)
        let video = try NALSource.open(input, videoPosition: videoPosition, codec: nil)
        guard case .packets(let demuxer, let stream) = video.source else {
            throw TranscodeError(.inputByteStream, "'\(input)' is \(video.codec.byteStream) already")
        }
        let output = ElementaryStreamOutput(
            path: try outputPath(video.codec), input: input, overwrite: overwrite, cancellation: cancellation)
        guard try output.isWanted() else { return .skipped(output.path) }
        willWrite(output.path)
        var extraction = Extraction(demuxer, stream, video.codec, output)
        extraction.dropsDelimiters = dropsDelimiters
        extraction.countMissing(of: byteCount)
        try write(&extraction, to: output)
        return extraction.result(elapsed: (ContinuousClock.now - start) / .seconds(1))
    }

    private func write(_ extraction: inout Extraction, to output: ElementaryStreamOutput) throws(TranscodeError) {
        var written = ContentDigest()
        var unitCount = 0
        try output.write(
            { file throws(TranscodeError) in
                let writer = try ByteStreamWriter(file)
                try extraction.copy(to: writer)
                (written, unitCount) = (writer.digest, writer.unitCount)
            },
            check: { file throws(TranscodeError) in
                try check(file, output, written, unitCount)
            })
    }

    private func outputPath(_ codec: NALCodec) throws(TranscodeError) -> String {
        let container: Container = codec == .h264 ? .h264 : .h265
        guard let output else { return "\(FileName.split(input).stem).\(container.rawValue)" }
        let pathExtension = FileName.split(output).pathExtension
        guard let asked = Container(fileExtension: pathExtension)?.onlyCodec?.nal else {
            throw TranscodeError(
                .outputExtension, "'\(output)' has no extension of a byte stream",
                hint: "allowed: \(list(Container.allCases.filter(\.isElementaryStream).pathExtensions))")
        }
        guard asked == codec else {
            throw TranscodeError(
                .outputForeignCodec,
                "the video in '\(input)' is \(codec), and .\(pathExtension) is for \(asked)",
                hint: "name an output that ends in .\(container.rawValue), or none")
        }
        return output
    }

    /// Checks that the bytes match those written, and that a reader of byte streams finds the same number of units.
    private func check(
        _ file: AtomicFile, _ output: ElementaryStreamOutput, _ written: ContentDigest, _ unitCount: Int
    ) throws(TranscodeError) {
        let bytes = try InputBytes.open(file.openedPath)
        var (digest, reader, found) = (ContentDigest(), ByteStreamReader(), 0)
        while true {
            try output.stopIfCancelled()
            let chunk = try bytes.next()
            guard !chunk.isEmpty else { break }
            digest.add(chunk.span.bytes)
            reader.append(chunk.span.bytes) { _ in found += 1 }
        }
        reader.finish { _ in found += 1 }
        guard digest == written else { throw .check(.verificationUnits, "the bytes read differ from those written") }
        guard found == unitCount else { throw .check(.verificationUnits, "\(found) NAL units instead of \(unitCount)") }
    }
}

extension NALCodec {
    /// The name with its article.
    var byteStream: String { self == .h264 ? "an H.264 byte stream" : "an HEVC byte stream" }
}

extension TranscodeResult {
    static func skipped(_ output: String) -> TranscodeResult {
        TranscodeResult(
            outcome: .skipped, output: output, frames: 0, seconds: 0, bytes: 0, elapsedSeconds: 0, notices: [])
    }
}

/// An extraction: packets in, NAL units out, with a count of corrupt data.
struct Extraction {
    private let demuxer: Demuxer
    private let stream: InputStream
    private let codec: NALCodec
    private let output: ElementaryStreamOutput
    var dropsDelimiters = false
    private var packetCount = 0
    private var damagedCount = 0
    private var missingCount = 0
    private var times: ClosedRange<Int64>?
    private var lastDuration: Int64 = 0

    init(_ demuxer: Demuxer, _ stream: InputStream, _ codec: NALCodec, _ output: ElementaryStreamOutput) {
        self.demuxer = demuxer
        self.stream = stream
        self.codec = codec
        self.output = output
    }

    /// Counts the packets that the index lists beyond the end of a file of this size.
    mutating func countMissing(of byteCount: Int64) {
        missingCount = demuxer.indexedPackets(of: stream.index, beyond: byteCount).missing
    }

    mutating func copy(to writer: ByteStreamWriter) throws(TranscodeError) {
        var units: PacketUnits
        do { units = try PacketUnits(demuxer, stream, codec, of: output.input) } catch {
            throw TranscodeError(
                .inputRecord, "'\(output.input)': its video's record cannot be read: \(error)")
        }
        while let packet = read() {
            try output.stopIfCancelled()
            guard packet.streamIndex == stream.index else { continue }
            do {
                try units.forEach(of: packet) { unit in if keeps(unit) { try writer.write(unit) } }
                note(packet)
            } catch let error as TranscodeError {
                throw error
            } catch {
                damagedCount += 1
            }
        }
        try writer.flush()
        guard writer.unitCount > 0 else {
            throw TranscodeError(.inputNoFrames, "the video stream of '\(output.input)' has no NAL units")
        }
    }

    private func keeps(_ unit: RawSpan) -> Bool {
        !(dropsDelimiters && NALUnit(codec: codec, range: 0..<unit.byteCount, in: unit).isDelimiter)
    }

    /// Reads the next packet. An unreadable one ends the source.
    private mutating func read() -> Packet? {
        do { return try demuxer.read() } catch {
            damagedCount += 1
            return nil
        }
    }

    private mutating func note(_ packet: Packet) {
        packetCount += 1
        guard let pts = packet.pts else { return }
        times = min(pts, times?.lowerBound ?? pts)...max(pts, times?.upperBound ?? pts)
        lastDuration = packet.duration
    }

    func result(elapsed: Double) -> TranscodeResult {
        var notices: [Notice] = []
        if damagedCount > 0 { notices.append(.damagedPackets(damagedCount)) }
        if missingCount > 0 { notices.append(.missingPackets(missingCount)) }
        let outcome: TranscodeResult.Outcome = notices.isEmpty ? .completed : .incompleteSource
        notices += [stream.displayMatrix.flatMap(Notice.lostTurn)].compactMap(\.self)
        let ticks = times.map { $0.upperBound.subtractingReportingOverflow($0.lowerBound).partialValue } ?? 0
        return TranscodeResult(
            outcome: outcome, output: output.path, frames: packetCount,
            seconds: MediaTime(ticks, stream.timeBase).seconds + MediaTime(lastDuration, stream.timeBase).seconds,
            bytes: FileStatus(output.path)?.byteCount ?? 0, elapsedSeconds: elapsed, notices: notices)
    }
}

extension Notice {
    /// A byte stream has no place for a display matrix; nil for one that does nothing.
    fileprivate static func lostTurn(_ matrix: DisplayMatrix) -> Notice? {
        guard matrix.orientation != .upright else { return nil }
        let turn = matrix.orientation.map { "\($0.inDegrees)" } ?? "turned"
        return Notice(.downgradeRotation, "the display rotation (\(turn)) is lost: a byte stream cannot contain it")
    }

    static func missingPackets(_ count: Int) -> Notice {
        let packets = counted(count, "packet of the video is", "packets of the video are")
        return Notice(.sourceTruncated, "the source is truncated: \(packets) missing")
    }
}
