import ExampleMedia
import VTXBitstream

guard let path = CommandLine.arguments.dropFirst().first else { fail("NALUnits INPUT.h264") }
guard let bytes = try? InputFile(path).read(1 << 24) else { fail("\(path) cannot be read") }
var sets = H264ParameterSets()

for unit in AnnexB.units(in: bytes.span.bytes, codec: .h264) {
    let nalUnit = bytes.span.bytes.extracting(unit.range)
    print("\(unit.range.lowerBound): \(unit), \(unit.range.count) bytes", terminator: "")
    if unit.isSPS {
        let sps = try H264SPS(nalUnit: nalUnit)
        print(", \(sps.displaySize), \(sps.profileName) \(sps.levelName)", terminator: "")
    } else if unit.isSEI {
        let messages = try SEIMessage.messages(in: nalUnit, codec: .h264)
        print(", " + messages.map { "\($0.type)" }.joined(separator: ", "), terminator: "")
    } else if unit.isVCL {
        let slice = try H264SliceHeader(nalUnit, sets)
        print(", \(slice.type), frame_num \(slice.frameNum), QP \(slice.quantizer ?? 0)", terminator: "")
    }
    if unit.isParameterSet { sets.insert(nalUnit) }
    print()
}
