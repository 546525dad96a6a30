// 5. From the camera to a file: CameraToFile OUTPUT.h264 [/dev/video0] [--mirror]
//
// 1080p30 for three seconds. Where there is no camera, a generated picture stands in for it, for one second.
import ExampleMedia
import VTX

let arguments = CommandLine.arguments.dropFirst()
let isMirrored = arguments.contains("--mirror")
let names = arguments.filter { !$0.hasPrefix("--") }
let path = names.first ?? "camera.h264"
let camera = try? Camera(names.dropFirst().first ?? "/dev/video0", size: PixelSize(1920, 1080), fps: 30)
let size = camera?.size ?? PixelSize(1920, 1080)
print(camera == nil ? "no camera: a generated picture, \(size)" : "the camera gives \(size)")

let file = try BinaryFile(path)
let codec: VideoCodec = path.hasSuffix("h265") ? .hevc : .h264
var configuration = VideoEncoderConfiguration(size: size, bitrate: 4_000_000, codec: codec)
configuration.isRealTime = true
configuration.preset = .fast
let session = try CompressionSession(configuration) { output in
    guard let sample = output.sample else { return }
    do { try file.write(sample.annexB()) } catch { print("writing: \(error)") }
}

let generated = try GeneratedPicture(size: size)
for index in 0..<(camera == nil ? 30 : 90) {
    let (picture, time) =
        try camera?.next() ?? (generated.make(index), MediaTime(Int64(index), Rational(1, 30)))
    let shown = isMirrored ? try picture.mirrored() : picture
    // A camera does not wait: what the encoder cannot follow is dropped. A generated picture can wait.
    if camera == nil { try await session.encode(shown, at: time) } else { try session.submit(shown, at: time) }
}
try await session.flush()
session.invalidate()
file.flush()
print("\(file.byteCount) bytes of \(codec) in \(path)")
