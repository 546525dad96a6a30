// 2. The compression session with a callback: create, set properties, prepare, encode, complete, invalidate.
import ExampleMedia
import VTX

let size = PixelSize(640, 360)
let session = try CompressionSession(VideoEncoderConfiguration(size: size)) { output in
    switch output.status {
    case .encoded(let sample):
        let kind = sample.isKeyFrame ? "key frame" : "frame"
        print("\(kind) at \(output.presentationTime.seconds) s, \(sample.byteCount) bytes")
    case .analyzed: break
    case .dropped: print("dropped at \(output.presentationTime.seconds) s")
    case .failed(let error): print("failed at \(output.presentationTime.seconds) s: \(error)")
    }
}
try session.set(.realTime, to: true)
try session.set(.averageBitRate, to: 1_000_000)
try session.set(.maxKeyFrameIntervalDuration, to: 2)
try session.set(.allowFrameReordering, to: false)
try await session.prepare()

let pictures = try GeneratedPicture(size: size)
for index in 0..<60 {
    // The system took the hardware away, perhaps: the next frame finds it again.
    if index == 30 { session.refresh() }
    try await session.encode(
        try pictures.make(index), at: MediaTime(Int64(index), Rational(1, 30)),
        duration: MediaTime(1, Rational(1, 30)), options: index == 45 ? .keyFrame : FrameOptions())
}
try await session.flush()
session.invalidate()
