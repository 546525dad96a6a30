import VTXMedia

/// What a listing is of.
struct NALStreamRecord: Encodable {
    let type = "stream"
    let codec: String
    /// Left out for a byte stream, as `lengthSize` is.
    let container: String?
    let lengthSize: Int?

    init(_ stream: NALDump.Stream) {
        codec = stream.codec.rawValue
        container = stream.container
        lengthSize = stream.lengthSize
    }
}

/// One NAL unit. What it does not have is left out.
struct NALUnitRecord: Encodable {
    let type = "nalUnit"
    let number: Int
    let accessUnit: Int
    /// In the file.
    var offset: Int64?
    /// Bytes of the start code before it, in a byte stream.
    var startCodeSize: Int?
    /// In a container: the packet's number, the offset in it, and when it is shown.
    var packet: Int?
    var packetOffset: Int?
    var ptsSeconds: Double?
    /// True for what is in the container's header.
    var isInRecord: Bool?
    let size: Int64
    let nalUnitType: Int
    let name: String
    let nalRefIdc: Int?
    let layerId: Int?
    let temporalId: Int?
    /// In slices only.
    let keyFrame: Bool?
    let slice: SliceFacts?
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
    /// Lines for standard output, their ends included; nothing for a notice.
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
