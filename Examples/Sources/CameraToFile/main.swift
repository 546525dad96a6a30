// 5. From the camera to a file: CameraToFile OUTPUT.h264 [/dev/video0] [--mirror]
//
// Three seconds, as the session records them itself, or mirrored. Where there is no camera, a test picture stands in for it.
import ExampleMedia
import VTX

let arguments = CommandLine.arguments.dropFirst()
let names = arguments.filter { !$0.hasPrefix("--") }
let path = names.first ?? "camera.h264"
let device = CaptureDevice.devices.first { $0.path == names.dropFirst().first ?? "/dev/video0" }

let camera = try CaptureSession(device ?? .testPicture, size: PixelSize(1280, 720), fps: 30)
let mirror = arguments.contains("--mirror") ? try Mirror(path, size: camera.size) : nil
try camera.add(
    mirror.map { mirror in .frames { mirror.take($0) } }
        ?? .file(path, CaptureFileConfiguration(replacesExisting: true)))
try camera.start()
try await Task.sleep(for: .seconds(3))
let statistics = try await camera.stop()
try await mirror?.finish()
print("\(statistics.frameCount) frames of \(camera.size) \(camera.sourceFormat) in \(path)")
