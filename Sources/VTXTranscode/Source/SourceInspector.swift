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
        guard let sample = ProbedFrames(frames) else {
            throw TranscodeError(
                .inputNoFrames,
                packets.contains { $0.streamIndex == video.index }
                    ? "no frame of the \(video.parameters.codecName) video in '\(path)' can be decoded"
                    : "the video stream of '\(path)' holds no frames")
        }
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
                "the video in '\(path)' is \(video.parameters.codecName), which this build of FFmpeg cannot decode"
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

/// What a path must be before libavformat sees it.
enum InputFile {
    /// Formats that libavformat accepts and nobody means: text drawn as pictures, lists of other files.
    static let refusedFormats = [
        "tty": "a text file", "concat": "a list of files", "hls": "a playlist", "dash": "a playlist",
        "sdp": "a session description", "image2": "a sequence of pictures", "ffmetadata": "a list of tags",
        "bin": "a text file", "xbin": "a text file", "adf": "a text file", "idf": "a text file",
    ]

    /// Why libavformat could not open the file.
    static func explain(_ error: FFmpegError, _ path: String) -> TranscodeError {
        if let format = Demuxer.probeFormat(of: path), let what = refusedFormats[format] {
            return TranscodeError(.inputNotMedia, "'\(path)' is \(what), not a media file")
        }
        guard error.kind == .invalidData else {
            let kind: ErrorKind = error.kind == .permission ? .inputPermission : .inputOpen
            return TranscodeError(kind, "'\(path)' cannot be opened: \(error)").caused(by: "\(error)")
        }
        if startsLikeMP4(path) {
            return TranscodeError(
                .inputNoIndex,
                "'\(path)' is an MP4 or QuickTime file without its index (the 'moov' box)",
                hint: "the index is written last: the recording or the copy was cut off before its end")
        }
        return TranscodeError(
            .inputNotMedia, "'\(path)' is not a media file, or is damaged at its beginning")
    }

    /// ISO/IEC 14496-12: the first box is `ftyp`; QuickTime files may begin with others.
    private static func startsLikeMP4(_ path: String) -> Bool {
        guard let head = try? FileDescriptor(opening: path).read(upTo: 8), head.count == 8 else { return false }
        return ["ftyp", "mdat", "wide", "free"].contains(String(decoding: head[4...], as: UTF8.self))
    }

    /// - Returns: the file's size in bytes.
    static func check(_ path: String) throws(TranscodeError) -> Int64 {
        guard let status = FileStatus(path) else { throw unreadable("'\(path)'", errno) }
        guard status.kind == .regular else {
            throw TranscodeError(
                .inputNotAFile, "'\(path)' is \(status.kind.name); vtx reads files that it can seek in")
        }
        guard status.byteCount > 0 else {
            throw TranscodeError(.inputEmpty, "'\(path)' is empty")
        }
        guard access(path, R_OK) == 0 else { throw unreadable("'\(path)'", errno) }
        return status.byteCount
    }

    /// Before it is opened: for some devices that alone is an order.
    static func checkIsNoDevice(_ path: String) throws(TranscodeError) {
        guard let kind = FileStatus(path)?.kind, kind == .blockDevice || kind == .characterDevice else { return }
        throw TranscodeError(
            .inputNotAFile, "'\(path)' is a device; only files, FIFOs and standard input are read",
            hint: "- is standard input")
    }

    /// - Parameter name: as people shall read it.
    static func unreadable(_ name: String, _ error: Int32) -> TranscodeError {
        let reason = SystemError("", error).reason
        let kind: ErrorKind = error == ENOENT ? .inputNotFound : error == EACCES ? .inputPermission : .inputOpen
        return TranscodeError(kind, "\(name) cannot be read: \(reason)").caused(by: reason)
    }
}

extension FileStatus.Kind {
    fileprivate var name: String {
        switch self {
        case .directory: "a directory"
        case .fifo: "a FIFO"
        case .socket: "a socket"
        case .blockDevice, .characterDevice: "a device"
        case .regular, .symbolicLink: "not a regular file"
        }
    }
}
