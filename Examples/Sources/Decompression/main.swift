// 4. The decompression session: Decompression INPUT.h264 | INPUT.h265, in pieces as a socket gives them.
import ExampleMedia
import VTX

guard let path = CommandLine.arguments.dropFirst().first else { fail("Decompression INPUT.h264 | INPUT.h265") }
guard let file = try? InputFile(path) else { fail("\(path) cannot be read") }
let configuration = VideoDecoderConfiguration(codec: path.hasSuffix("h265") ? .hevc : .h264, pixelFormat: .nv12)
let session = try DecompressionSession(configuration)

async let shown: (whole: Int, failed: Int) = {
    var (whole, failed) = (0, 0)
    for try await frame in session.frames {
        if let picture = frame.pixelBuffer, frame.error == nil {
            if whole == 0 { print("the first frame is \(picture)") }
            whole += 1
        } else {
            failed += 1
        }
    }
    return (whole, failed)
}()

while let chunk = file.read(1400) { try await session.decode(stream: chunk) }
try await session.flush()
let dropped = try session.value(of: .numberOfFramesDropped)
session.invalidate()
let counts = try await shown
print("\(counts.whole) frames, \(counts.failed) failed, \(dropped) before the first key frame")
