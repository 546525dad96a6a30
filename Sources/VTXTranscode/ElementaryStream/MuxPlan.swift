import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// All decisions made before the first sample of a byte stream is written.
struct MuxPlan {
    let input: String
    let container: Container
    let survey: ElementaryStreamScan
    let frameRate: Rational
    let description: OutputStreamDescription
    /// Whether parameter sets are removed from the samples because the record contains them.
    let movesParameterSets: Bool
    let notices: [Notice]

    init(_ job: MuxJob, _ container: Container, _ survey: ElementaryStreamScan) throws(TranscodeError) {
        input = job.input
        self.container = container
        self.survey = survey
        let sps = try Self.sequence(survey, job.input)
        frameRate = try Self.frameRate(job, survey)
        movesParameterSets = try Self.movesParameterSets(job, container, survey)
        description = try Self.describe(container, survey, sps, frameRate, isComplete: movesParameterSets, job.input)
        notices = Self.notices(container, survey)
    }

    var codec: NALCodec { survey.codec }
    /// One tick per frame.
    var timeBase: Rational { frameRate.reciprocal }

    /// The presentation time of the first frame, in frames: a transport stream has no negative timestamps.
    var origin: Int { container == .ts ? survey.order.delay : 0 }

    /// Whether a NAL unit of the stream is kept in the container's samples.
    func keeps(_ unit: NALUnit) -> Bool { !(movesParameterSets && unit.isParameterSet) }

    /// Whether a NAL unit is compared when the container is read back: MPEG-TS requires a delimiter before every
    /// picture (H.222.0 2.14), and missing ones have been added.
    func compares(_ unit: NALUnit) -> Bool {
        !(container == .ts && unit.isDelimiter) && !(movesParameterSets && unit.isParameterSet)
    }

    func result(_ path: String, elapsed: Double) -> TranscodeResult {
        TranscodeResult(
            outcome: .completed, output: path, frames: survey.sampleCount,
            seconds: MediaTime(Int64(survey.sampleCount), timeBase).seconds, bytes: FileStatus(path)?.byteCount ?? 0,
            elapsedSeconds: elapsed, notices: notices)
    }
}

extension MuxPlan {
    private static func sequence(
        _ survey: ElementaryStreamScan, _ input: String
    ) throws(TranscodeError) -> any SequenceParameterSet {
        do {
            if let sps = try survey.placement.sequence() { return sps }
        } catch {
            throw TranscodeError(.inputParameterSets, "the first SPS of '\(input)' cannot be read: \(error)")
        }
        throw TranscodeError(
            .inputParameterSets, "'\(input)' has no SPS before its first picture",
            hint: "the stream was cut off at its beginning; pictures before the first SPS cannot be decoded")
    }

    private static func frameRate(
        _ job: MuxJob, _ survey: ElementaryStreamScan
    ) throws(TranscodeError) -> Rational {
        // A set that cannot be read says nothing.
        let own = (try? survey.placement.frameRate()).flatMap(\.self)
        guard let rate = job.frameRate ?? own, rate.isPositive, rate.value <= 1000 else {
            throw TranscodeError(
                .inputFrameRate, "'\(job.input)' does not specify its frame rate",
                hint: "\(option: .frameRate, "25") sets it")
        }
        return rate
    }

    private static func movesParameterSets(
        _ job: MuxJob, _ container: Container, _ survey: ElementaryStreamScan
    ) throws(TranscodeError) -> Bool {
        guard container != .ts else { return false }
        guard job.parameterSets == .record else { return survey.placement.canMove }
        guard survey.placement.isConstant else {
            throw TranscodeError(
                .parameterSetsChange,
                "the parameter sets of '\(job.input)' change and cannot all be in the header",
                hint: "without \(option: .parameterSets, "record") they stay in the samples")
        }
        return true
    }

    private static func describe(
        _ container: Container, _ survey: ElementaryStreamScan, _ sps: any SequenceParameterSet, _ frameRate: Rational,
        isComplete: Bool, _ input: String
    ) throws(TranscodeError) -> OutputStreamDescription {
        do {
            // A transport stream has no record; given one, its muxer would repeat it before key frames.
            let record = container == .ts ? [] : try survey.placement.record(isComplete: isComplete)
            let parameters = try CodecParameters(
                video: survey.codec.videoCodec, size: sps.displaySize, extradata: record)
            var description = OutputStreamDescription(parameters: parameters, timeBase: frameRate.reciprocal)
            description.codecTag = tag(container, survey.codec, isComplete: isComplete)
            description.disposition = .default
            description.frameRate = frameRate
            description.sampleAspectRatio = sps.sampleAspectRatio ?? Rational(0, 1)
            description.color = sps.color
            return description
        } catch {
            throw TranscodeError(
                .inputParameterSets, "'\(input)': its parameter sets cannot be put into a record: \(error)")
        }
    }

    /// The type of the sample entry (ISO 14496-15 5.4.2, 8.4.1); 0 leaves it to the container.
    private static func tag(_ container: Container, _ codec: NALCodec, isComplete: Bool) -> UInt32 {
        guard container == .mp4 || container == .mov else { return 0 }
        switch (codec, isComplete) {
        case (.h264, true): return OutputStreamDescription.tag("avc1")
        case (.h264, false): return OutputStreamDescription.tag("avc3")
        case (.hevc, true): return OutputStreamDescription.tag("hvc1")
        case (.hevc, false): return OutputStreamDescription.tag("hev1")
        }
    }

    private static func notices(_ container: Container, _ survey: ElementaryStreamScan) -> [Notice] {
        var notices: [Notice] = []
        if survey.strayByteCount > 0 { notices.append(.strayBytes(survey.strayByteCount)) }
        if survey.order.unorderedCount > 0 {
            notices.append(
                Notice(
                    .sourceOrder,
                    Message(
                        counted(
                            survey.order.unorderedCount, "picture has no presentation order; it keeps its position",
                            "pictures have no presentation order; they keep their position"))))
        }
        if container == .ts, survey.undelimitedCount > 0 {
            notices.append(
                Notice(
                    .conversionDelimiters,
                    "\(counted(survey.undelimitedCount, "access unit delimiter is", "access unit delimiters are")) added: MPEG-TS requires one per picture"
                ))
        }
        if survey.keyFrameCount == 0 {
            notices.append(Notice(.sourceNoKeyFrame, "no picture is a key frame: players cannot seek"))
        }
        return notices
    }
}

/// The boxes in a video's sample entry that libavformat ignores (ISO/IEC 14496-12 8.5.2).
struct SampleEntryBoxes {
    /// The contents of `moov`.
    private let movie: [UInt8]

    /// The maximum size of the index that is read: an hour of video takes a few megabytes.
    private static let maxMovieSize: Int64 = 256 << 20
    /// The version, flags and number of entries at the beginning of `stsd`.
    private static let entriesOffset = 8
    /// The size of `VisualSampleEntry` before its boxes.
    private static let boxesOffset = 78

    /// nil for a file that is not MP4 or QuickTime or has no index, and for pipes.
    init?(path: String) {
        guard FileStatus(path)?.kind == .regular, let file = try? FileDescriptor(opening: path),
            let movie = try? Self.movie(of: file)
        else { return nil }
        self.movie = movie
    }

    /// Returns the contents of the box `type` in the entry whose box `recordType` contains `record`; nil if there is
    /// none.
    func contents(of type: String, beside record: [UInt8], in recordType: String) -> [UInt8]? {
        var tables = [movie.indices]
        for name in ["trak", "mdia", "minf", "stbl", "stsd"] {
            tables = tables.flatMap { MP4Box.all(in: movie[$0]) }.filter { $0.type == name }.map(\.contents)
        }
        let entries = tables.flatMap { MP4Box.all(in: movie[$0].dropFirst(Self.entriesOffset)) }
        for entry in entries {
            let boxes = MP4Box.all(in: movie[entry.contents].dropFirst(Self.boxesOffset))
            guard boxes.contains(where: { $0.type == recordType && movie[$0.contents].elementsEqual(record) }) else {
                continue
            }
            return boxes.first { $0.type == type }.map { Array(movie[$0.contents]) }
        }
        return nil
    }

    private static func movie(of file: borrowing FileDescriptor) throws(SystemError) -> [UInt8]? {
        var offset: Int64 = 0
        while let header = MP4BoxHeader(try file.read(at: offset, upTo: MP4BoxHeader.maxSize)[...]) {
            guard header.type == "moov" else {
                offset += header.boxSize
                continue
            }
            guard header.boxSize <= maxMovieSize else { return nil }
            return try file.read(at: offset + Int64(header.size), upTo: Int(header.boxSize) - header.size)
        }
        return nil
    }
}

/// A box in memory (ISO/IEC 14496-12 4.2).
private struct MP4Box {
    var type: String
    var contents: Range<Int>

    /// Returns the boxes in sequence, up to the first that exceeds the data.
    static func all(in bytes: ArraySlice<UInt8>) -> [MP4Box] {
        var (rest, boxes): (ArraySlice<UInt8>, [MP4Box]) = (bytes, [])
        while let header = MP4BoxHeader(rest), header.boxSize <= rest.count {
            let end = rest.startIndex + Int(header.boxSize)
            boxes.append(MP4Box(type: header.type, contents: rest.startIndex + header.size..<end))
            rest = rest[end...]
        }
        return boxes
    }
}

/// The size and type of a box. A box that extends to the end of the file (size 0) is treated as broken: it is the last
/// one, and not an index.
private struct MP4BoxHeader {
    static let maxSize = 16

    var type: String
    /// The size of the header, in bytes.
    var size: Int
    /// The size of the box including its header.
    var boxSize: Int64

    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 8 else { return nil }
        let short = Self.number(bytes.prefix(4))
        type = String(decoding: bytes.dropFirst(4).prefix(4), as: UTF8.self)
        size = short == 1 ? 16 : 8
        guard bytes.count >= size else { return nil }
        boxSize = short == 1 ? Self.number(bytes.dropFirst(8).prefix(8)) : short
        guard boxSize >= size, boxSize < 1 << 48 else { return nil }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
}
