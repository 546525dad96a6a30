import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
package import VTXTestMedia

extension Conformance {
    /// The same pictures as libavcodec's decoder on one thread, at the same times.
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

    /// A packet of garbage costs frames, never the decoder.
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
        // Two groups of five may suffer; the others come out.
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
        let session = try openSession()
        let decoder = try session.makeDecoder(DecoderConfiguration(stream: demuxer.streams[0]))
        var (frames, errors, index): ([Frame], Int, Int) = ([], 0, 0)
        func feed(_ packet: Packet?) {
            do {
                try decoder.send(packet)
                while case .unit(let frame) = try decoder.receive() { frames += try session.readable([frame]) }
            } catch {
                errors += 1
            }
        }
        while let packet = try demuxer.read() {
            feed(try replace(index, packet))
            index += 1
        }
        feed(nil)
        return (frames, errors)
    }
}
