import VTX

/// `Soak FRAMES h264|hevc software|gpu`
struct SoakOptions {
    let frameCount: Int
    let codec: VideoCodec
    let hardware: HardwarePolicy

    init(_ arguments: ArraySlice<String>) throws {
        let words = Array(arguments)
        guard words.count == 3, let frameCount = Int(words[0]), frameCount >= 100,
            let codec = VideoCodec(rawValue: words[1]),
            let hardware = ["software": HardwarePolicy.off, "gpu": .require][words[2]]
        else { throw SoakFailure("usage: Soak FRAMES h264|hevc software|gpu; at least 100 frames") }
        (self.frameCount, self.codec, self.hardware) = (frameCount, codec, hardware)
    }

    /// Twenty reports, independent of the length.
    var reportInterval: Int { frameCount / 20 }
}
