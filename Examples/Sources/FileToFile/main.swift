// 6. Transcode a file: FileToFile INPUT OUTPUT. Encodes the video again and copies the audio.
import Glibc
import VTX

func fail(_ reason: String) -> Never {
    print("error: \(reason)")
    exit(1)
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else { fail("FileToFile INPUT OUTPUT") }
let reader: SampleReader
do { reader = try SampleReader(arguments[1]) } catch { fail("\(error)") }
guard let track = reader.tracks(.video).first, let codec = track.codec, let size = track.size else {
    fail("\(arguments[1]) has no video that can be decoded")
}
let decoder = try DecompressionSession(VideoDecoderConfiguration(codec: codec))
// HEVC keeps 10 bits, and pixels that are not square keep their aspect ratio.
var configuration = VideoEncoderConfiguration(
    size: size, fps: track.frameRate ?? 30, codec: (track.bitDepth ?? 8) > 8 ? .hevc : nil)
configuration.quality = Quality(70)
if track.pixelAspectRatio.isPositive { configuration.pixelAspectRatio = track.pixelAspectRatio }
configuration.hdrMetadata = track.hdrMetadata
let encoder = try CompressionSession(configuration)
let writer = try SampleWriter(arguments[2], SampleWriterConfiguration(replacesExisting: true))
let video = try writer.addInput(VideoInputConfiguration(like: track))
let audio = try reader.tracks(.audio).first.map { (track: $0, input: try writer.addInput(like: $0)) }

async let decoding: Void = {
    for try await sample in reader.samples(of: track) { try await decoder.decode(sample) }
    try await decoder.flush()
    decoder.invalidate()
}()
async let encoding: Void = {
    for try await frame in decoder.frames {
        guard let picture = frame.pixelBuffer else { continue }
        try await encoder.encode(picture, at: frame.presentationTime, duration: frame.duration)
    }
    try await encoder.flush()
    encoder.invalidate()
}()
async let copying: Void = {
    guard let audio else { return }
    for try await sample in reader.samples(of: [audio.track]) { try await audio.input.append(sample) }
    audio.input.finish()
}()
for try await sample in encoder.samples { try await video.append(sample) }
video.finish()
_ = try await (decoding, encoding, copying)
try await writer.finish()
print("\(arguments[2]): \(size) \(encoder.codec), hardware: \(encoder.isUsingHardware)")
