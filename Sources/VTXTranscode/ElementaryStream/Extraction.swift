import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// One run of an extraction: packets in, NAL units out, damage counted.
struct Extraction {
    private let demuxer: Demuxer
    private let stream: InputStream
    private let codec: VideoCodec
    private let output: ElementaryStreamOutput
    var dropsDelimiters = false
    private var packetCount = 0
    private var damagedCount = 0
    private var missingCount = 0
    private var times: ClosedRange<Int64>?
    private var lastDuration: Int64 = 0

    init(_ demuxer: Demuxer, _ stream: InputStream, _ codec: VideoCodec, _ output: ElementaryStreamOutput) {
        self.demuxer = demuxer
        self.stream = stream
        self.codec = codec
        self.output = output
    }

    /// Packets that the index lists after the end of a file of this many bytes.
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
            throw TranscodeError(.inputNoFrames, "the video stream of '\(output.input)' holds no NAL units")
        }
    }

    private func keeps(_ unit: RawSpan) -> Bool {
        !(dropsDelimiters && NALUnit(codec: codec, range: 0..<unit.byteCount, in: unit).isDelimiter)
    }

    /// What cannot be read ends the source.
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
        let ticks = times.map { $0.upperBound.subtractingReportingOverflow($0.lowerBound).partialValue } ?? 0
        return TranscodeResult(
            outcome: notices.isEmpty ? .completed : .incompleteSource, output: output.path, frames: packetCount,
            seconds: MediaTime(ticks, stream.timeBase).seconds + MediaTime(lastDuration, stream.timeBase).seconds,
            bytes: FileStatus(output.path)?.byteCount ?? 0, elapsedSeconds: elapsed, notices: notices)
    }
}

extension Notice {
    static func missingPackets(_ count: Int) -> Notice {
        let packets = counted(count, "packet of the video is", "packets of the video are")
        return Notice(.sourceTruncated, "the source ends early: \(packets) not there")
    }
}
