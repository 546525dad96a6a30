import VTXFFmpeg
package import VTXMedia

/// The recipe of a file.
package struct MovieRecipe: Sendable {
    package var video: [VideoRecipe] = []
    package var audio: [AudioRecipe] = []
    package var subtitles: [SubtitleRecipe] = []
    package var hasCoverArt = false
    package var chapters: [Chapter] = []
    package var metadata: [MetadataEntry] = []
    /// The muxer's options, such as `movflags`.
    package var muxerOptions: [(String, String)] = []
    /// Added to all times.
    package var startSeconds = 0.0
    /// Added to the audio's times as well.
    package var audioDelay = 0.0
    package var strays: [Stray] = []
    /// Omitted packets, in decoding order, by stream.
    package var lost: [Int: Range<Int>] = [:]

    /// Packets with wrong presentation times, as in a damaged file.
    package struct Stray: Sendable {
        package var stream: Int
        /// In decoding order.
        package var packets: Range<Int>
        /// How far ahead.
        package var seconds: Double

        package init(_ stream: Int, _ packets: Range<Int>, _ seconds: Double) {
            (self.stream, self.packets, self.seconds) = (stream, packets, seconds)
        }
    }

    package init(_ change: (inout MovieRecipe) -> Void = { _ in }) { change(&self) }

    /// One video stream, and at most one audio stream.
    package init(
        _ video: VideoRecipe, _ audio: AudioRecipe? = nil, _ change: (inout MovieRecipe) -> Void = { _ in }
    ) {
        self.video = [video]
        self.audio = audio.map { [$0] } ?? []
        change(&self)
    }

    /// Writes the file; its extension selects the container.
    package func write(to path: String) throws {
        let format = try Self.format(of: path)
        var movie = self
        // The only text format of the QuickTime family.
        if format == "mp4" || format == "mov" {
            for index in subtitles.indices { movie.subtitles[index].codec = "mov_text" }
        }
        var streams = try movie.encode(globalHeader: Muxer.wantsGlobalHeader(format: format))
        for stray in strays { streams[stray.stream].mislead(stray.packets, by: stray.seconds) }
        for (stream, packets) in lost { streams[stream].packets.removeSubrange(packets) }
        let muxer = try Muxer(path: path, format: format)
        for stream in streams { _ = try muxer.addStream(stream.description) }
        muxer.setMetadata(metadata)
        try muxer.setChapters(chapters)
        try muxer.writeHeader(options: muxerOptions)
        try Self.interleave(streams, into: muxer)
        try muxer.finish()
    }

    private func encode(globalHeader: Bool) throws -> [EncodedStream] {
        var streams = try video.map { try $0.encode(globalHeader: globalHeader).shifted(by: startSeconds) }
        streams += try audio.map {
            try $0.encode(globalHeader: globalHeader).shifted(by: startSeconds + audioDelay)
        }
        streams += try subtitles.map { try $0.encode().shifted(by: startSeconds) }
        if hasCoverArt { streams.append(try CoverArt.encode()) }
        return streams
    }

    private static func interleave(_ streams: [EncodedStream], into muxer: Muxer) throws {
        let all = streams.enumerated().flatMap { index, stream in
            stream.packets.map { packet in
                let time = MediaTime(packet.dts ?? packet.pts ?? 0, packet.timeBase).seconds
                return (
                    index: index,
                    time: stream.description.disposition.contains(.attachedPicture) ? -1e9 : time, packet
                )
            }
        }
        // Stable: packets of one stream stay in decoding order.
        for (_, entry) in all.enumerated().sorted(by: { ($0.1.time, $0.0) < ($1.1.time, $1.0) }) {
            try muxer.write(entry.2, to: entry.index)
        }
    }

    /// libavformat's name for a file extension.
    private static func format(of path: String) throws -> String {
        let pathExtension = String(path[(path.lastIndex(of: ".") ?? path.startIndex)...].dropFirst())
        let formats = [
            "mp4": "mp4", "m4v": "mp4", "mov": "mov", "mkv": "matroska", "ts": "mpegts", "avi": "avi",
            "h264": "h264",
            "h265": "hevc", "m2v": "mpeg2video", "m4a": "ipod", "mpg": "vob", "mjpeg": "mjpeg", "nut": "nut",
        ]
        guard let format = formats[pathExtension] else { throw RecipeError("no container for .\(pathExtension)") }
        return format
    }
}

/// A small PNG image.
package enum CoverArt {
    /// The whole PNG file.
    package static func bytes() throws -> [UInt8] { try encode().packets.flatMap { Array($0.bytes) } }

    static func encode() throws -> EncodedStream {
        var recipe = VideoRecipe.intra("png", "rgb24")
        recipe.size = PixelSize(32, 32)
        recipe.frameCount = 1
        recipe.disposition = .attachedPicture
        return try recipe.encode(globalHeader: false)
    }
}

extension Chapter {
    /// A chapter in milliseconds, with a title.
    package init(_ id: Int64, _ start: Int64, _ end: Int64, _ title: String) {
        let milliseconds = Rational(1, 1000)
        self.init(
            id: id, start: MediaTime(start, milliseconds), end: MediaTime(end, milliseconds),
            metadata: [MetadataEntry("title", title)])
    }
}
