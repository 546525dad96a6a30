// 1. The encoder's configuration: the defaults, what the machine makes of them, and how to change them.
import VTX

var configuration = VideoEncoderConfiguration()
print("size \(configuration.size), \(configuration.bitrate) bit/s, \(configuration.fps) frames/s")
print("a key frame every \(configuration.gopSize) frames, B frames: \(configuration.openBFrame)")

let session = try CompressionSession(configuration)
try await session.prepare()
let device = try session.value(of: .encoderID) ?? "nothing"
print("encodes \(session.codec) on \(device), hardware: \(session.isUsingHardware)")

configuration = VideoEncoderConfiguration(
    size: PixelSize(1280, 720), bitrate: 2_000_000, fps: Rational(30000, 1001), codec: .h264, profile: .h264Main)
configuration.isRealTime = true
let live = try CompressionSession(configuration)
// Bytes, not bits: at most one and a half times the average in any second.
try live.set(.dataRateLimits, to: [DataRateLimit(byteCount: 2_000_000 / 8 * 3 / 2, seconds: 1)])
try live.set(.h264EntropyMode, to: .cabac)
for (name, property) in live.supportedProperties.sorted(by: { $0.key < $1.key }) {
    print("  \(name): \(property.valueType)\(property.isReadOnly ? ", read-only" : "")")
}
