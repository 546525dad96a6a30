/// A listing for people: columns of fixed widths, as what is still to come is unknown.
enum NALText {
    /// What is listed, and the columns' names.
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

    private static func words(_ slice: SliceFacts, isKeyFrame: Bool) -> [String] {
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
