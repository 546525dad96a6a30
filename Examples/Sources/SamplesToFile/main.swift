// 3. Samples to a file: SamplesToFile OUTPUT.h264 | OUTPUT.h265
import ExampleMedia
import VTX

let path = CommandLine.arguments.dropFirst().first ?? "out.h264"
let size = PixelSize(640, 360)
let codec: VideoCodec = path.hasSuffix("h265") ? .hevc : .h264
let session = try CompressionSession(VideoEncoderConfiguration(size: size, bitrate: 1_000_000, codec: codec))

// Start codes instead of lengths, and the parameter sets before every key frame.
async let written: Int = {
    let file = try BinaryFile(path)
    for try await sample in session.samples { try file.write(try sample.annexB()) }
    return file.byteCount
}()

let pictures = try GeneratedPicture(size: size)
for index in 0..<90 {
    try await session.encode(try pictures.make(index), at: MediaTime(Int64(index), Rational(1, 30)))
}
try await session.flush()
session.invalidate()
print("\(try await written) bytes of \(codec) in \(path)")
