import VTXMedia

struct NALStreamRecord: Encodable {
    let type = "stream"
    let codec: String
    /// Omitted for a byte stream, like `lengthSize`.
    let container: String?
    let lengthSize: Int?

    init(_ stream: NALDump.Stream) {
        codec = stream.codec.rawValue
        container = stream.container
        lengthSize = stream.lengthSize
    }
}

/// The record of a NAL unit. Missing properties are omitted.
struct NALUnitRecord: Encodable {
    let type = "nalUnit"
    let number: Int
    let accessUnit: Int
    /// The offset in the file.
    var offset: Int64?
    /// The size of the preceding start code in a byte stream, in bytes.
    var startCodeSize: Int?
    /// In a container: the packet's number, the offset in it, and its timestamp.
    var packet: Int?
    var packetOffset: Int?
    var ptsSeconds: Double?
    /// true for a NAL unit in the container's configuration record.
    var isInRecord: Bool?
    let size: Int64
    let nalUnitType: Int
    let name: String
    let nalRefIdc: Int?
    let layerId: Int?
    let temporalId: Int?
    /// Slices only.
    let keyFrame: Bool?
    let slice: SliceInfo?
    let parameterSet: ParameterSetInfo?
    let messages: [String]?
    let problem: String?

    init(_ unit: NALUnitInfo) {
        (number, accessUnit, size) = (unit.number, unit.accessUnit, unit.size)
        (nalUnitType, name, nalRefIdc) = (unit.type, unit.name, unit.refIDC)
        (layerId, temporalId) = (unit.layerID, unit.temporalID)
        keyFrame = unit.slice == nil && !unit.isKeyFrame ? nil : unit.isKeyFrame
        (slice, parameterSet, problem) = (unit.slice, unit.parameterSet, unit.problem)
        messages = unit.messages.isEmpty ? nil : unit.messages
        switch unit.place {
        case .stream(let offset, let codeSize): (self.offset, startCodeSize) = (offset, codeSize)
        case .packet(let number, let offset, let fileOffset, let pts):
            (self.offset, packet, packetOffset) = (fileOffset, number, offset)
            ptsSeconds = pts?.seconds.thousandths
        case .record: isInRecord = true
        }
    }
}

extension NALDump.Form {
    /// Returns lines for standard output, newlines included; empty for a notice.
    package func text(_ event: NALDump.Event) -> String {
        switch (self, event) {
        case (.text, .stream(let stream)): NALText.heading(stream)
        case (.text, .unit(let unit)): NALText.line(unit)
        case (.json, .stream(let stream)): JSONLine.text(NALStreamRecord(stream))
        case (.json, .unit(let unit)): JSONLine.text(NALUnitRecord(unit))
        case (_, .notice): ""
        }
    }
}

/// A list for reading, in columns of fixed width because later rows are not known in advance.
enum NALText {
    /// Returns the description of the stream, and the column headings.
    static func heading(_ stream: NALDump.Stream) -> String {
        let container = stream.container.map { "in \($0)" } ?? "byte stream"
        let lengths = stream.lengthSize.map { ", lengths of \($0) bytes" } ?? ""
        return "\(stream.codec) \(container)\(lengths)\n" + row("AU", "PLACE", "SIZE", "TYPE", "")
    }

    static func line(_ unit: NALUnitInfo) -> String {
        row("\(unit.accessUnit)", place(unit.place), "\(unit.size)", unit.name, details(unit))
    }

    private static func row(
        _ accessUnit: String, _ place: String, _ size: String, _ type: String, _ details: String
    ) -> String {
        let numbers = [accessUnit.leftPadded(to: 6), place.leftPadded(to: 12), size.leftPadded(to: 9)]
        return (numbers + [type.padded(to: 21), details]).joined(separator: "  ").trimmingTrailingSpace + "\n"
    }

    private static func place(_ place: NALUnitInfo.Place) -> String {
        switch place {
        case .stream(let offset, _): "\(offset)"
        case .packet(_, _, let offset?, _): "\(offset)"
        case .packet(let number, let offset, nil, _): "#\(number)+\(offset)"
        case .record: "record"
        }
    }

    private static func details(_ unit: NALUnitInfo) -> String {
        var parts: [String] = []
        if let set = unit.parameterSet { parts += words(set) }
        if let slice = unit.slice { parts += words(slice, isKeyFrame: unit.isKeyFrame) }
        parts += unit.messages
        if let problem = unit.problem { parts.append("not readable: \(problem)") }
        return parts.joined(separator: ", ")
    }

    private static func words(_ slice: SliceInfo, isKeyFrame: Bool) -> [String] {
        let words: [String?] = [
            slice.isDependent == true ? "dependent" : slice.type, isKeyFrame ? "key frame" : nil,
            slice.field.map { "\($0) field" }, slice.firstMacroblock.map { "first macroblock \($0)" },
            slice.segmentAddress.map { "address \($0)" }, "PPS \(slice.ppsId)",
            slice.frameNum.map { "frame_num \($0)" },
            slice.picOrderCnt.map { "POC \($0)" },
        ]
        return words.compactMap(\.self)
    }

    private static func words(_ set: ParameterSetInfo) -> [String] {
        let size = set.width.flatMap { width in set.height.map { "\(width)x\($0)" } }
        let words: [String?] = [
            "id \(set.id)", set.vpsId.map { "VPS \($0)" }, set.spsId.map { "SPS \($0)" }, set.entropyCoding,
            set.profile, set.level.map { "level \($0)" }, size, set.chroma, set.bitDepth.map { "\($0) bits" },
            set.frameRate.map { "\($0) fps" }, set.sampleAspectRatio.map { "samples of \($0)" },
        ]
        return words.compactMap(\.self)
    }
}
