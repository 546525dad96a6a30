import Glibc
import VTXBitstream
import VTXFFmpeg
package import VTXMedia
import VTXSession
import VTXSystem
package import VTXTask

/// Opens a file and selects its video, or explains why that is impossible.
package enum SourceInspector {
    /// The limits of a longer search, whose data libavformat keeps in memory.
    private static let farLimits = Demuxer.ProbeLimits(bytes: 100_000_000, seconds: 180)

    /// - Parameters:
    ///   - videoPosition: The index among the video streams, without cover art, from 0.
    ///   - frameRate: The rate of a raw stream; nil for that in its headers.
    package static func open(
        _ path: String, videoPosition: Int, frameRate: Rational? = nil
    ) throws(TranscodeError) -> Source {
        let byteCount = try InputFile.check(path)
        let demuxer = try openDemuxer(path, frameRate)
        let video = try chooseVideo(of: demuxer, at: videoPosition, path)
        let rawFrameRate = try rawFrameRate(of: demuxer, video, asked: frameRate, path) {
            try? InputFile.reopen(path, frameRate: $0)
        }
        return Source(
            path: path, byteCount: byteCount, demuxer: demuxer, video: video, rawFrameRate: rawFrameRate)
    }

    /// Opens a pipe, which can be read only once. Streams whose first packets come much later are not awaited.
    static func open(
        _ piped: PipedInput, videoPosition: Int, frameRate: Rational? = nil
    ) throws(TranscodeError) -> Source {
        try piped.check()
        let demuxer = try piped.open(frameRate: frameRate)
        let video = try chooseVideo(of: demuxer, at: videoPosition, StandardStream.path)
        let rawFrameRate = try rawFrameRate(of: demuxer, video, asked: frameRate, StandardStream.path) {
            piped.reopenBeginning(format: demuxer.formatName, frameRate: $0)
        }
        return Source(
            path: StandardStream.path, byteCount: 0, demuxer: demuxer, video: video, rawFrameRate: rawFrameRate,
            piped: piped)
    }

    /// - Parameter reopen: Opens the same source with another rate.
    private static func rawFrameRate(
        of demuxer: Demuxer, _ video: InputStream, asked: Rational?, _ path: String, reopen: (Rational) -> Demuxer?
    ) throws(TranscodeError) -> RawFrameRate {
        if let asked {
            guard demuxer.takesFrameRate else {
                throw TranscodeError(
                    .inputFrameRate,
                    "\(StandardStream.input(path)) has timestamps; only raw streams take a frame rate",
                    hint: "\(option: .frameRate) changes the output's frame rate")
            }
            return .asked(asked)
        }
        guard demuxer.takesFrameRate, video.averageFrameRate == 25 else { return .declared }
        // A rate that changes with the demuxer's option was not read from a header.
        let isAssumed = reopen(24)?.streams.first { $0.index == video.index }?.averageFrameRate == 24
        return isAssumed ? .assumed : .declared
    }

    private static func openDemuxer(_ path: String, _ frameRate: Rational?) throws(TranscodeError) -> Demuxer {
        let demuxer = try InputFile.open(path, frameRate: frameRate)
        // What is listed and has not come yet may come much later: a second audio stream, a video after its leader.
        if demuxer.streams.allSatisfy(\.isKnown) { return demuxer }
        return try InputFile.open(path, limits: farLimits, frameRate: frameRate)
    }

    private static func chooseVideo(
        of demuxer: Demuxer, at position: Int, _ path: String
    ) throws(TranscodeError) -> InputStream {
        let name = StandardStream.input(path)
        let videos = demuxer.streams.filter { $0.kind == .video && !$0.isCoverArt }
        guard !demuxer.streams.isEmpty else {
            throw TranscodeError(
                .inputNoFrames, "\(name) has no frames: there is no stream in it",
                hint: "its writer ended before the first frame")
        }
        guard !videos.isEmpty else {
            let kinds = Set(demuxer.streams.map(\.kindName)).sorted().joined(separator: ", ")
            throw TranscodeError(
                .inputNoVideo, "\(name) has no video stream" + (kinds.isEmpty ? "" : ", only \(kinds)"))
        }
        guard videos.indices.contains(position) else {
            throw .videoPosition(position, in: name, count: videos.count)
        }
        guard videos[position].parameters.hasDecoder else { throw noDecoder(for: videos[position], name) }
        return videos[position]
    }

    private static func noDecoder(for video: InputStream, _ name: String) -> TranscodeError {
        TranscodeError(
            .inputCodec,
            video.codecName == "none"
                ? "the video in \(name) has an unknown codec: the file does not name one that FFmpeg knows"
                : "the video in \(name) is \(video.codecName), which this build of FFmpeg cannot decode"
        ).at(stream: video.index)
    }
}

extension InputStream {
    /// `audio`, `cover picture`.
    fileprivate var kindName: String { info.isCoverArt ? "cover picture" : info.kind.rawValue }
}

extension TranscodeError {
    /// - Parameters:
    ///   - name: The file name for messages.
    ///   - count: The number of video streams, at least one.
    static func videoPosition(_ position: Int, in name: String, count: Int) -> TranscodeError {
        let present = count == 1 ? "stream 0 only" : "streams 0 to \(count - 1)"
        return TranscodeError(
            .videoPosition, "there is no video stream \(position) in \(name); it has \(present)")
    }
}

/// The properties of the first decoded frames, which headers may declare wrongly or not at all.
package struct ProbedFrames: Sendable {
    /// The format of the first frame as the filter gets it; interlaced if any of the frames is.
    package var shape: FrameFormat
    package var hdrMetadata: HDRMetadata
    package var displayMatrix: DisplayMatrix?
    package var sideDataKinds: Set<String>
    /// The frame rate measured from the frames; nil with fewer than two timestamps.
    package var measuredRate: Double?
    /// Whether there are layers above the base layer, which the frames do not show.
    package var hasLayers = false
    /// Whether any of the frames repeats a field.
    package var repeatsFields = false

    /// Creates the properties from the headers.
    init(_ video: StreamInfo) {
        shape = FrameFormat(
            size: video.size, pixelFormat: video.pixelFormat ?? .planar(.yuv420, bitDepth: 8),
            sampleAspectRatio: video.sampleAspectRatio, color: video.color, isInterlaced: video.isInterlaced ?? false)
        hdrMetadata = video.hdrMetadata
        displayMatrix = video.displayMatrix
        sideDataKinds = []
    }

    init?(_ frames: [Frame]) {
        guard let first = frames.first else { return nil }
        shape = FrameFormat(first)
        // As the samples would lie in memory.
        let samples = first.pixelFormat
        if first.isOnSurface { shape.pixelFormat = .planar(samples.chroma, bitDepth: samples.bitDepth) }
        shape.isInterlaced = frames.contains(where: \.isInterlaced)
        repeatsFields = frames.contains(where: \.repeatsField)
        hdrMetadata = first.hdrMetadata
        displayMatrix = first.displayMatrix
        sideDataKinds = Set(frames.flatMap(\.sideDataKinds))
        let times = frames.compactMap { $0.presentationTime?.seconds }
        if let start = times.min(), let end = times.max(), end > start {
            measuredRate = Double(times.count - 1) / (end - start)
        }
    }
}

/// Searches for pictures above the base layer: another view (MV-HEVC, MVC) or transparency. Decoders skip them.
enum LayerSearch {
    static func hasLayers(_ packets: [Packet], of stream: InputStream) -> Bool {
        guard let codec = NALCodec(rawValue: stream.codecName),
            let framing = try? NALFraming(extradata: stream.parameters.extradata, codec: codec)
        else { return false }
        return packets.contains { packet in
            guard packet.streamIndex == stream.index else { return false }
            let units = try? framing.units(in: packet.bytes.bytes, codec: codec)
            return units?.contains(where: \.isLayerSlice) ?? false
        }
    }
}

/// The black bars in sampled frames of a video.
struct BlackBars: Sendable, Hashable {
    /// The region that is not black in any frame, before rotation; nil if all frames are black.
    var picture: PixelRegion?
    var whole: PixelSize
    /// The number of frames examined.
    var frames: Int
    /// The number of sampled positions, each beginning at a key frame; nil if all frames were examined.
    var places: Int?
    /// Whether frames of another size follow, to which the result does not apply.
    var changesSize = false
}
