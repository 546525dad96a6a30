import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXTask

/// Converts a track's packets to samples of one form for all containers: NAL units with length prefixes, or AV1's
/// temporal units, with the parameter sets in the format description.
struct SampleAssembler {
    private let track: MediaTrack
    private let path: String
    private let codec: NALCodec?
    private var format: FormatDescription?
    /// nil if the container's record cannot be parsed.
    private var framing: NALFraming?
    private var decodingTimes: DecodingTimes?

    /// - Parameter path: The name of the file in messages.
    init(_ track: MediaTrack, of path: String) {
        (self.track, self.path) = (track, path)
        codec = NALCodec(rawValue: track.codecName)
        format = track.formatDescription
        framing = codec.flatMap { try? NALFraming(extradata: track.stream.parameters.extradata, codec: $0) }
    }

    /// Returns the sample of a packet; nil if decoding cannot begin yet because the parameter sets are missing.
    mutating func sample(of packet: Packet) throws(MediaFileError) -> TrackSample? {
        guard !packet.isEncrypted else { throw MediaFileError(.inputEncrypted, "\(track) in '\(path)' is encrypted") }
        guard let pts = packet.pts ?? packet.dts else {
            throw MediaFileError(
                .inputNoTimestamps, "\(track) in '\(path)' has no timestamps")
        }
        guard let content = try content(of: packet) else { return nil }
        var times = decodingTimes ?? DecodingTimes(track, depth: format?.maxReorder ?? 0)
        let dts = times.next(pts: pts, dts: packet.dts, duration: packet.duration)
        decodingTimes = times
        var sample = TrackSample(
            track: track.id, content, presentationTime: MediaTime(pts, packet.timeBase),
            decodingTime: MediaTime(dts, packet.timeBase),
            duration: packet.duration > 0 ? MediaTime(packet.duration, packet.timeBase) : nil,
            isKeyFrame: packet.isKeyFrame, formatDescription: format)
        sample.isHidden = packet.isHidden
        return sample
    }

    private mutating func content(of packet: Packet) throws(MediaFileError) -> CodedData? {
        guard let codec else {
            if track.codec == .av1 { try noteAV1(packet) }
            return track.codec == .av1 && format == nil ? nil : CodedData(packet, .lengthPrefixes)
        }
        do {
            if let extradata = packet.newExtradata {
                framing = try NALFraming(extradata: extradata, codec: codec)
                format = try FormatDescription(codec: codec.videoCodec, extradata: extradata)
            }
            guard let framing else { throw SessionError(.badData, "its record is damaged") }
            let units = try framing.units(in: packet.bytes.bytes, codec: codec)
            try note(units.filter(\.isParameterSet).map { packet.bytes.bytes.copy($0.range) }, framing)
            guard let format else { return nil }
            if case .lengths = framing.framing { return CodedData(packet, .lengthPrefixes) }
            let content = CodedData(packet, .startCodes(without: format.parameterSets))
            return try content.nalUnits(format).isEmpty ? nil : content
        } catch {
            throw MediaFileError(.inputRecord, "\(track) in '\(path)': \(error)")
        }
    }

    /// Reads the container's record or the sample's own sequence header.
    private mutating func noteAV1(_ packet: Packet) throws(MediaFileError) {
        do {
            if let extradata = packet.newExtradata { format = try FormatDescription(codec: .av1, extradata: extradata) }
            guard packet.isKeyFrame else { return }
            guard let header = try TemporalUnit(packet.bytes.bytes).sequenceHeader,
                format?.parameterSets.contains(header) != true
            else { return }
            format = try FormatDescription(codec: .av1, parameterSets: [header])
        } catch { throw MediaFileError(.inputRecord, "\(track) in '\(path)': \(error)") }
    }

    /// Parameter sets that include a new SPS replace the previous sets. A PPS alone is added to them.
    private mutating func note(_ sets: [[UInt8]], _ framing: NALFraming) throws {
        let known = format?.parameterSets ?? []
        guard let codec, !sets.allSatisfy(known.contains) else { return }
        let isSPS = { (set: [UInt8]) in NALUnit(codec: codec, range: set.indices, in: set.span.bytes).isSPS }
        if case .lengths = framing.framing, format != nil { return }
        let hasNewSPS = sets.contains { isSPS($0) && !known.contains($0) }
        let all = hasNewSPS ? sets : known + sets.filter { !known.contains($0) }
        guard all.contains(where: isSPS) else { return }
        var lengthSize = 4
        if case .lengths(let format) = framing.framing { lengthSize = format.lengthSize }
        format = try FormatDescription(codec: codec.videoCodec, parameterSets: all, lengthSize: lengthSize)
    }
}

extension SampleAssembler {
    /// Fills in decoding times that a container omits, as Matroska does for its first frames. Pure; in ticks.
    struct DecodingTimes {
        private let depth: Int64
        private let frameDuration: Int64
        private var last: Int64?

        init(_ track: MediaTrack, depth: Int) {
            self.depth = Int64(depth)
            let frame = track.frameRate.map { MediaTime.rescale(1, from: $0.reciprocal, to: track.timeBase) }
            frameDuration = max(1, frame ?? 1)
        }

        mutating func next(pts: Int64, dts: Int64?, duration: Int64) -> Int64 {
            let step = duration > 0 ? duration : frameDuration
            let guess = dts ?? last.map { $0 + step } ?? pts - depth * step
            let time = max(min(guess, pts), last.map { $0 + 1 } ?? .min)
            last = time
            return time
        }
    }
}
