import Glibc
import VTXFFmpeg
package import VTXMedia
import VTXSession
import VTXSystem
package import VTXTask

/// Opens a file and looks at its first frames, or says clearly why that cannot be done.
package enum SourceInspector {
    /// Frames that are enough to see interlacing and side data.
    private static let sampleFrames = 3
    /// Video packets that may be tried for the first frames, and bytes of the whole file: sound may begin long before.
    private static let maxVideoPackets = 500
    private static let maxBytes = 64 << 20
    /// libavformat keeps in memory what it reads for this.
    private static let farReach = Demuxer.Reach(bytes: 100_000_000, seconds: 180)

    /// - Parameters:
    ///   - videoPosition: which of the moving video streams, from 0.
    ///   - frameRate: the rate of a raw stream; nil for what its headers say.
    package static func open(
        _ path: String, videoPosition: Int, frameRate: Rational? = nil
    ) throws(TranscodeError) -> Source {
        let byteCount = try InputFile.check(path)
        let demuxer = try openDemuxer(path, frameRate)
        let video = try chooseVideo(of: demuxer, at: videoPosition, path)
        let rawFrameRate = try rawFrameRate(of: demuxer, video, asked: frameRate, path)
        let (frames, packets) = try readSample(demuxer, video, path)
        guard !packets.contains(where: { $0.streamIndex == video.index && $0.isEncrypted }) else {
            throw TranscodeError(
                .inputEncrypted, "the video in '\(path)' is encrypted",
                hint: "vtx has no keys; decrypt it first")
        }
        guard var sample = ProbedFrames(frames) else {
            throw TranscodeError(
                .inputNoFrames,
                packets.contains { $0.streamIndex == video.index }
                    ? "no frame of the \(video.parameters.codecName) video in '\(path)' can be decoded"
                    : "the video stream of '\(path)' holds no frames")
        }
        sample.hasLayers = LayerSearch.hasLayers(packets, of: video)
        return Source(
            path: path, byteCount: byteCount, demuxer: demuxer, video: video, sample: sample,
            rawFrameRate: rawFrameRate, lookahead: packets)
    }

    private static func rawFrameRate(
        of demuxer: Demuxer, _ video: InputStream, asked: Rational?, _ path: String
    ) throws(TranscodeError) -> RawFrameRate {
        if let asked {
            guard demuxer.takesFrameRate else {
                throw TranscodeError(
                    .inputFrameRate, "'\(path)' has times of its own; only raw streams take a frame rate",
                    hint: "\(option: .frameRate) changes the output's frame rate")
            }
            return .asked(asked)
        }
        guard demuxer.takesFrameRate, video.averageFrameRate == 25 else { return .told }
        // What comes to another number as soon as the demuxer is told another one is no header's.
        let other = try? Demuxer(path: path, frameRate: 24)
        let isAssumed = other?.streams.first { $0.index == video.index }?.averageFrameRate == 24
        return isAssumed ? .assumed : .told
    }

    private static func openDemuxer(_ path: String, _ frameRate: Rational?) throws(TranscodeError) -> Demuxer {
        let refused = Set(InputFile.refusedFormats.keys)
        do {
            let demuxer = try Demuxer(path: path, refusing: refused, frameRate: frameRate)
            // What is listed and has not come yet may come much later: a second sound, a film behind its leader.
            if demuxer.streams.allSatisfy(\.isKnown) { return demuxer }
            return try Demuxer(path: path, refusing: refused, reach: farReach, frameRate: frameRate)
        } catch {
            throw InputFile.explain(error, path)
        }
    }

    private static func chooseVideo(
        of demuxer: Demuxer, at position: Int, _ path: String
    ) throws(TranscodeError) -> InputStream {
        let videos = demuxer.streams.filter { $0.kind == .video && !$0.isCoverArt }
        guard !demuxer.streams.isEmpty else {
            throw TranscodeError(
                .inputNoFrames, "'\(path)' holds no frames: there is no stream in it",
                hint: "its writer ended before the first frame")
        }
        guard !videos.isEmpty else {
            let kinds = Set(demuxer.streams.map(\.kind.rawValue)).sorted().joined(separator: ", ")
            throw TranscodeError(
                .inputNoVideo, "'\(path)' has no video stream" + (kinds.isEmpty ? "" : ", only \(kinds)"))
        }
        guard videos.indices.contains(position) else {
            throw .videoPosition(position, in: "'\(path)'", count: videos.count)
        }
        let video = videos[position]
        guard video.parameters.hasDecoder else {
            throw TranscodeError(
                .inputCodec,
                video.codecName == "none"
                    ? "the video in '\(path)' has an unknown codec: the file does not name one that FFmpeg knows"
                    : "the video in '\(path)' is \(video.codecName), which this build of FFmpeg cannot decode"
            ).at(stream: video.index)
        }
        return video
    }

    /// Reads until a few frames are there. One thread: more would only hold frames back.
    private static func readSample(
        _ demuxer: Demuxer, _ video: InputStream, _ path: String
    ) throws(TranscodeError) -> (frames: [Frame], packets: [Packet]) {
        var frames: [Frame] = []
        var packets: [Packet] = []
        var (videoPackets, bytes) = (0, 0)
        do {
            let decoder = try DecoderContext(video, threads: 1)
            while frames.count < sampleFrames, videoPackets < maxVideoPackets, bytes < maxBytes {
                // A read error here comes again when the transcode reads on, and is counted there.
                guard let packet = try? demuxer.read() else { break }
                packets.append(packet)
                bytes += packet.byteCount
                guard packet.streamIndex == video.index else { continue }
                videoPackets += 1
                frames += decode(packet, with: decoder)
            }
            if frames.count < sampleFrames { frames += decode(nil, with: decoder) }
        } catch {
            throw TranscodeError(.inputCodec, "the \(video.parameters.codecName) video in '\(path)': \(error)")
                .at(stream: video.index).caused(by: "\(error)")
        }
        return (frames, packets)
    }

    private static func decode(_ packet: Packet?, with decoder: DecoderContext) -> [Frame] {
        var frames: [Frame] = []
        do {
            try decoder.send(packet)
            while case .unit(let frame) = try decoder.receive() {
                frame.normalizeFullRangeFormat()
                frames.append(frame)
            }
        } catch {
            // Damage is counted when the packet is decoded for good.
        }
        return frames
    }
}

extension TranscodeError {
    /// - Parameters:
    ///   - name: the file's, as people shall read it.
    ///   - count: how many video streams there are; one at least.
    static func videoPosition(_ position: Int, in name: String, count: Int) -> TranscodeError {
        let present = count == 1 ? "stream 0 only" : "streams 0 to \(count - 1)"
        return TranscodeError(
            .videoPosition, "there is no video stream \(position) in \(name); it has \(present)")
    }
}
