// 5. From the camera to a file: CameraToFile OUTPUT.h264 [/dev/video0] [rtmp://HOST/APP/KEY] [--mirror]
//
// Three seconds, as the session records them itself, and sends them live too, from one encoding; or mirrored. Where there is no
// camera, a test picture stands in for it.
import ExampleMedia
import VTX

let arguments = CommandLine.arguments.dropFirst()
let names = arguments.filter { !$0.hasPrefix("--") && !$0.contains("://") }
let path = names.first ?? "camera.h264"
let device = CaptureDevice.devices.first { $0.path == names.dropFirst().first ?? "/dev/video0" }

let camera = try CaptureSession(device ?? .testPicture, size: PixelSize(1280, 720), fps: 30)
let mirror = arguments.contains("--mirror") ? try Mirror(path, size: camera.size) : nil
let outputs = [path] + arguments.filter { $0.contains("://") }
try camera.add(
    mirror.map { mirror in .frames { mirror.take($0) } }
        ?? .recording(outputs, CaptureFileConfiguration(replacesExisting: true)))
let watching = Task {
    for await case .notice(_, let message) in camera.events { print(message) }
}
try camera.start()
try await Task.sleep(for: .seconds(3))
let statistics = try await camera.stop()
try await mirror?.finish()
await watching.value
print("\(statistics.frameCount) frames of \(camera.size) \(camera.sourceFormat) in \(path)")
