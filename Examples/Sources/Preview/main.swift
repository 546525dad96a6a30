// 7. Pixel transfer and rotation: Preview INPUT OUTPUT.bgra, the first frame upright in 320x180, as raw BGRA.
import ExampleMedia
import VTX

let arguments = CommandLine.arguments
guard arguments.count == 3 else { fail("Preview INPUT OUTPUT.bgra") }
let reader: SampleReader
do { reader = try SampleReader(arguments[1]) } catch { fail("\(error)") }
guard let track = reader.tracks(.video).first, let codec = track.codec else {
    fail("\(arguments[1]) has no video that can be decoded")
}
let decoder = try DecompressionSession(VideoDecoderConfiguration(codec: codec))
async let first = decoder.frames.first { $0.pixelBuffer != nil }
for try await sample in reader.samples(of: track).prefix(DecompressionSession.maxUnreadFrames) {
    try await decoder.decode(sample)
}
try await decoder.flush()
decoder.invalidate()
guard let picture = try await first?.pixelBuffer else { fail("\(arguments[1]) has no frame") }

let upright = try PixelRotationSession(track.orientation).rotate(picture)
let transfer = try PixelTransferSession(
    PixelTransferConfiguration(size: PixelSize(320, 180), format: .bgra, scalingMode: .letterbox))
let preview = try transfer.transfer(upright)
try BinaryFile(arguments[2]).write(preview.bytes(ofPlane: 0))
print("\(picture.size), \(track.orientation.rawValue), is \(preview)")
