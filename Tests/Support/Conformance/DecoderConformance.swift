import Testing
package import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSession
package import VTXTestMedia

extension Conformance {
    /// Frames and times equal those of libavcodec's decoder on one thread.
    package func decodesLikeTheReference(_ recipe: VideoRecipe, in pathExtension: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.\(pathExtension)")
        try MovieRecipe(recipe).write(to: path)
        let (frames, errors) = try decode(path)
        let reference = try Decoded(path).frames
        #expect(errors == 0 && frames.count == reference.count && frames.count == recipe.frameCount)
        for (frame, wanted) in zip(frames, reference) {
            #expect(frame.presentationTime == wanted.presentationTime)
            #expect(frame.pixelFormat == wanted.pixelFormat && frame.color == wanted.color)
            #expect(frame.checksum == wanted.checksum)
        }
    }

    /// A corrupt packet loses frames, but the decoder continues.
    package func survivesBadPackets(_ recipe: VideoRecipe) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.mkv")
        var closed = recipe
        closed.keyFrameInterval = 5
        try MovieRecipe(closed).write(to: path)
        let (frames, _) = try decode(path) { index, packet in
            guard index == 7 else { return packet }
            return try Packet(
                bytes: (0..<200).map { UInt8($0 * 37 % 251) }, pts: packet.pts, dts: packet.dts,
                duration: packet.duration, timeBase: packet.timeBase, isKeyFrame: false)
        }
        // Two GOPs of five may be damaged; the others are output.
        #expect(frames.count >= recipe.frameCount - 10)
        let tail = frames.suffix(5).map(\.checksum)
        #expect(tail == (try Decoded(path).frames.suffix(5).map(\.checksum)))
    }

    /// Ends with the first error.
    package func decodeAll(_ path: String) throws {
        let demuxer = try Demuxer(path: path)
        let decoder = try openSession().makeDecoder(DecoderConfiguration(stream: demuxer.streams[0]))
        while let packet = try demuxer.read() {
            try decoder.send(packet)
            while case .unit = try decoder.receive() {}
        }
        try decoder.send(nil)
        while case .unit = try decoder.receive() {}
    }

    private func decode(
        _ path: String, replacing replace: (Int, Packet) throws -> Packet = { $1 }
    ) throws -> (frames: [Frame], errors: Int) {
        let demuxer = try Demuxer(path: path)
        var packets: [Packet] = []
        while let packet = try demuxer.read() { packets.append(try replace(packets.count, packet)) }
        let decoded = try decode(packets, of: DecoderConfiguration(stream: demuxer.streams[0]))
        return (decoded.frames, decoded.errors)
    }

    private struct DecodedPackets {
        var frames: [Frame] = []
        /// Positions of damaged frames.
        var damaged: [Int] = []
        var errors = 0
    }

    private func decode(_ packets: [Packet], of configuration: DecoderConfiguration) throws -> DecodedPackets {
        let session = try openSession()
        let decoder = try session.makeDecoder(configuration)
        var decoded = DecodedPackets()
        for packet in packets.map(Optional.some) + [nil] {
            do {
                try decoder.send(packet)
                while case .unit(let frame) = try decoder.receive() {
                    if frame.isCorrupt { decoded.damaged.append(decoded.frames.count) }
                    decoded.frames += try session.readable([frame])
                }
            } catch {
                decoded.errors += 1
            }
        }
        return decoded
    }
}

// MARK: Headers

extension Conformance {
    /// The changed header loses no frame.
    private func expectAllPictures(of rewritten: RewrittenStream) throws {
        let decoded = try decode(rewritten.packets, of: DecoderConfiguration(stream: rewritten.stream))
        #expect(decoded.errors == 0 && decoded.damaged.isEmpty)
        #expect(decoded.frames.map(\.checksum) == rewritten.reference.map(\.checksum))
    }

    /// Without a reorder depth in the headers, the first frames are not lost.
    package func keepsPicturesWithoutReorderDepth(_ options: String) throws {
        let recipe = VideoRecipe { $0.options = [("preset", "veryfast"), ("x264-params", options)] }
        let rewritten = try RewrittenStream(recipe, h264: { $0.vui?.bitstreamRestriction = nil })
        try expectAllPictures(of: rewritten)
    }

    /// Baseline without the Constrained Baseline flag, as cameras write it.
    package func decodesPlainBaseline() throws {
        let recipe = VideoRecipe { $0.options = [("preset", "veryfast"), ("profile", "baseline")] }
        let rewritten = try RewrittenStream(recipe, h264: { $0.constraintFlags = 0 })
        try expectAllPictures(of: rewritten)
    }

    /// The output has exactly the samples of the cropped picture.
    ///
    /// - Parameter offsets: in the units of the header: of two samples in 4:2:0, of one in 4:4:4.
    package func crops(_ recipe: VideoRecipe, by offsets: CroppingOffsets) throws {
        let rewritten = try RewrittenStream(
            recipe, h264: { $0.cropping = offsets }, hevc: { $0.format.conformanceWindow = offsets })
        let unit = recipe.pixelFormat.contains("444") ? 1 : 2
        let size = PixelSize(
            recipe.size.width - unit * (offsets.left + offsets.right),
            recipe.size.height - unit * (offsets.top + offsets.bottom))
        let decoded = try decode(rewritten.packets, of: DecoderConfiguration(stream: rewritten.stream))
        #expect(decoded.errors == 0 && decoded.frames.count == rewritten.reference.count)
        for (frame, wanted) in zip(decoded.frames, rewritten.reference) {
            try wanted.crop(x: unit * offsets.left, y: unit * offsets.top, to: size)
            #expect(frame.size == size && frame.checksum == wanted.checksum)
        }
    }

    /// Frames with a missing reference are marked as damaged.
    package func namesMissingReferences() throws {
        var recipe = VideoRecipe.hevc
        (recipe.frameCount, recipe.keyFrameInterval) = (20, 10)
        var rewritten = try RewrittenStream(recipe)
        // The first packet after the key frame, which the others refer to.
        rewritten.packets.remove(at: 1)
        let decoded = try decode(rewritten.packets, of: DecoderConfiguration(stream: rewritten.stream))
        #expect(decoded.frames.count == 19 && !decoded.damaged.isEmpty)
        #expect(decoded.damaged.allSatisfy { (1..<10).contains($0) }, "\(decoded.damaged)")
    }
}
