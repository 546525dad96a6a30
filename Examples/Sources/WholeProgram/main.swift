import VTX

let size = PixelSize(640, 360)
let configuration = VideoEncoderConfiguration(size: size, bitrate: 1_000_000, fps: 30)
let encoder = try CompressionSession(configuration)
let decoder = try DecompressionSession(VideoDecoderConfiguration(codec: encoder.codec))

// Read in separate tasks: results arrive while frames are still being encoded.
async let coded: Int = {
    var byteCount = 0
    for try await sample in encoder.samples {
        byteCount += sample.byteCount
        try await decoder.decode(sample)
    }
    return byteCount
}()
async let shown: Int = {
    var count = 0
    for try await frame in decoder.frames where frame.pixelBuffer != nil { count += 1 }
    return count
}()

let pool = try await encoder.pixelBufferPool()
for index in 0..<60 {
    let picture = try pool.makeBuffer { plane, bytes, bytesPerRow in
        for offset in 0..<bytes.byteCount {
            let luma = UInt8(truncatingIfNeeded: offset % bytesPerRow + index * 4)
            bytes.storeBytes(of: plane == 0 ? luma : 128, toByteOffset: offset, as: UInt8.self)
        }
    }
    try await encoder.encode(picture, at: MediaTime(Int64(index), Rational(1, 30)))
}
try await encoder.flush()
encoder.invalidate()
let byteCount = try await coded
try await decoder.flush()
decoder.invalidate()
print("\(try await shown) frames, \(byteCount) bytes of \(encoder.codec), hardware: \(encoder.isUsingHardware)")
