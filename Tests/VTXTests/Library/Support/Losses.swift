import Testing
import VTX
import VTXBitstream
import VTXFFmpeg
import VTXTestMedia

/// Access units of a byte stream with their times, with lost NAL units.
struct LossyStream {
    let codec: VideoCodec
    private(set) var units: [(bytes: [UInt8], time: MediaTime)]

    /// 72 frames with B frames, a key frame every 24, and slices.
    init(_ codec: VideoCodec, slices: Int = 1) throws {
        self.codec = codec
        let recipe = VideoRecipe {
            $0.encoder = codec == .h264 ? "libx264" : "libx265"
            $0.frameCount = 72
            $0.keyFrameInterval = 24
            $0.options = [("preset", "veryfast")]
            let more = slices > 1 ? ":slices=\(slices)" : ""
            $0.options.append(
                codec == .h264
                    ? ("x264-params", "bframes=3:b-pyramid=normal:scenecut=0" + more)
                    : ("x265-params", "log-level=error:bframes=3:scenecut=0:open-gop=0" + more))
        }
        units = try recipe.encode(globalHeader: false).packets.map { packet in
            (Array(packet.bytes), try #require(packet.presentationTime))
        }
    }

    /// Loses this percentage of the slices; a picture without any is dropped.
    func losing(percent: Int, seed: Int) -> LossyStream {
        guard let codec = codec.nal else { return self }
        var (dice, lossy) = (Dice(seed: seed), self)
        lossy.units = units.compactMap { unit in
            let all = AnnexB.units(in: unit.bytes.span.bytes, codec: codec)
            // The first picture is kept: without it, nothing is decoded.
            let kept = all.filter { !$0.isVCL || unit.time.ticks == 0 || dice.roll(1, 100) > percent }
            return kept.contains(where: \.isVCL) ? (AnnexB.write(kept, of: unit.bytes.span.bytes), unit.time) : nil
        }
        return lossy
    }

    func decode(_ change: (inout VideoDecoderConfiguration) -> Void = { _ in }) async throws -> [DecodedFrame] {
        try await Coding.decode(codec, change) { session in
            for unit in units { try await session.decode(annexB: unit.bytes, at: unit.time) }
        }.frames
    }

    /// Every wrong frame is marked. Marked frames may have any content.
    func expectHonesty(
        losing percent: Int, seed: Int, _ change: (inout VideoDecoderConfiguration) -> Void = { _ in }
    ) async throws {
        var clean: [MediaTime: [UInt8]] = [:]
        for frame in try await decode(change) {
            #expect(frame.error == nil)
            clean[frame.presentationTime] = try frame.pixelBuffer?.bytes(ofPlane: 0)
        }
        #expect(clean.count == 72)
        let frames = try await losing(percent: percent, seed: seed).decode(change)
        let trusted = frames.filter { $0.error == nil }
        for frame in trusted {
            #expect(
                try frame.pixelBuffer?.bytes(ofPlane: 0) == clean[frame.presentationTime],
                "\(frame.presentationTime.seconds) s is wrong, and does not say so")
        }
        #expect(trusted.count >= 2 && frames.contains { $0.error?.code == .referenceMissing })
    }
}
