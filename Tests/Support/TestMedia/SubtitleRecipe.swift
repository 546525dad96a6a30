import VTXFFmpeg
package import VTXMedia

/// The recipe of a text subtitle stream.
package struct SubtitleRecipe: Sendable {
    package struct Cue: Sendable, Hashable {
        package var start: Double
        package var end: Double
        package var text: String

        package init(_ start: Double, _ end: Double, _ text: String) {
            self.start = start
            self.end = end
            self.text = text
        }
    }

    /// libavcodec's name: `subrip`, `ass`, `mov_text`.
    package var codec = "subrip"
    package var cues = [Cue(0.1, 0.4, "one"), Cue(0.5, 0.9, "two")]
    package var disposition: Disposition = []
    package var metadata: [MetadataEntry] = []

    package init(_ change: (inout SubtitleRecipe) -> Void = { _ in }) { change(&self) }

    package func encode() throws -> EncodedStream {
        let directory = try TemporaryDirectory()
        let path = directory.file(codec == "ass" ? "cues.ass" : "cues.srt")
        try Files.write(codec == "ass" ? assText : srtText, to: path)
        let demuxer = try Demuxer(path: path)
        guard let stream = demuxer.streams.first else { throw RecipeError("no stream in the subtitle file") }
        var packets: [Packet] = []
        while let packet = try demuxer.read() { packets.append(packet) }
        return try finish(stream, packets)
    }

    private func finish(_ stream: InputStream, _ packets: [Packet]) throws -> EncodedStream {
        var description = OutputStreamDescription(parameters: stream.parameters, timeBase: stream.timeBase)
        var packets = packets
        if stream.parameters.codecName != codec {
            let converter = try SubtitleConverter(stream, to: codec)
            packets = try packets.compactMap {
                if case .cue(let cue) = try converter.convert($0) { cue } else { nil }
            }
            description.parameters = converter.parameters
        }
        description.disposition = disposition
        description.metadata = metadata
        return EncodedStream(description: description, packets: packets)
    }

    private var srtText: String {
        cues.enumerated().map { index, cue in
            "\(index + 1)\n\(stamp(cue.start, ",", 3)) --> \(stamp(cue.end, ",", 3))\n\(cue.text)\n"
        }.joined(separator: "\n")
    }

    private var assText: String {
        let fields = "Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"
        let lines = cues.map {
            "Dialogue: 0,\(stamp($0.start, ".", 2)),\(stamp($0.end, ".", 2)),Default,,0,0,0,,\($0.text)"
        }
        return "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\n"
            + "Format: Name, Fontname, Fontsize\nStyle: Default,Arial,16\n\n[Events]\nFormat: \(fields)\n"
            + lines.joined(separator: "\n") + "\n"
    }

    /// `00:00:01,500`, or with two digits `00:00:01.50`.
    private func stamp(_ seconds: Double, _ point: String, _ digits: Int) -> String {
        let milliseconds = Int((seconds * 1000).rounded())
        let fraction = String(1000 + milliseconds % 1000).dropFirst().prefix(digits)
        let whole = milliseconds / 1000
        let two = { (value: Int) in String(String(100 + value).dropFirst()) }
        return "\(two(whole / 3600)):\(two(whole / 60 % 60)):\(two(whole % 60))\(point)\(fraction)"
    }
}
