import ExampleMedia
import VTXBitstream

guard let path = CommandLine.arguments.dropFirst().first else { fail("NALUnits INPUT.h264") }
guard let file = try? InputFile(path) else { fail("\(path) cannot be opened") }
var bytes: [UInt8] = []
while let part = file.read(1 << 20) { bytes += part }
var sets = H264ParameterSets()

for unit in AnnexB.units(in: bytes.span.bytes, codec: .h264) {
    let nalUnit = bytes.span.bytes.extracting(unit.range)
    print("\(unit.range.lowerBound): \(unit), \(unit.range.count) bytes", terminator: "")
    do {
        if unit.isSPS {
            let sps = try H264SPS(nalUnit: nalUnit)
            print(", \(sps.displaySize), \(sps.profileName) \(sps.levelName)", terminator: "")
        } else if unit.isSEI {
            let messages = try SEIMessage.messages(in: nalUnit, codec: .h264)
            print(", " + messages.map { "\($0.type)" }.joined(separator: ", "), terminator: "")
        } else if unit.h264Type?.isSlice == true {
            let slice = try H264SliceHeader(nalUnit, sets)
            print(", \(slice.type), frame_num \(slice.frameNum), QP \(slice.quantizer ?? 0)", terminator: "")
        }
    } catch { print(", not readable: \(error)", terminator: "") }
    if unit.isParameterSet { sets.insert(nalUnit) }
    print()
}
