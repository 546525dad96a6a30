import Glibc
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// Writes each stream of a ladder to a file of its own.
///
/// Unchecked: called by one thread, as the contract requires.
final class LadderSink: PacketSink, @unchecked Sendable {
    /// The files by stream index.
    private var files: [Int: any PacketSink] = [:]

    /// - Parameters:
    ///   - repeatsParameterSets: Whether other encoders than this plan's have encoded a part of the video.
    ///   - path: Returns the path of a file.
    init(
        _ plan: TranscodePlan, damage: InputErrorReport, repeatsParameterSets: Bool, path: (String) -> String
    ) throws(TranscodeError) {
        for track in plan.tracks {
            let (own, path) = (plan.plan(of: track), path(track.file))
            files[track.stream] =
                switch track.content {
                case .video:
                    try MuxerSink(
                        own, path: path, damage: damage, options: MuxerOptions.fragments(of: .video, own),
                        repeatsParameterSets: repeatsParameterSets)
                case .audio: try AudioFragments(own, path: path, damage, seconds: plan.ladder?.segmentSeconds ?? 6)
                case .subtitles: try WebVTTFile(path, output: plan.output)
                }
        }
    }

    var byteCount: Int64 { files.values.reduce(0) { $0 + $1.byteCount } }

    func open(_ stream: Int, _ description: OutputStreamDescription) throws { try files[stream]?.open(0, description) }

    func write(_ packet: Packet, to stream: Int) throws { try files[stream]?.write(packet, to: 0) }

    func finish() throws { for file in files.values { try file.finish() } }
}

/// Writes audio in fragments as long as the video's segments.
///
/// Unchecked: as its owner.
private final class AudioFragments: PacketSink, @unchecked Sendable {
    private let file: MuxerSink
    private let seconds: Double
    /// The start of the next fragment.
    private var next: Double

    init(_ plan: TranscodePlan, path: String, _ damage: InputErrorReport, seconds: Double) throws(TranscodeError) {
        file = try MuxerSink(plan, path: path, damage: damage, options: MuxerOptions.fragments(of: .audio, plan))
        (self.seconds, next) = (seconds, seconds)
    }

    var byteCount: Int64 { file.byteCount }

    func open(_ stream: Int, _ description: OutputStreamDescription) throws { try file.open(stream, description) }

    func write(_ packet: Packet, to stream: Int) throws {
        if let time = packet.presentationTime?.seconds, time >= next {
            try file.endFragment()
            next = ((time / seconds).rounded(.down) + 1) * seconds
        }
        try file.write(packet, to: stream)
    }

    func finish() throws { try file.finish() }
}

/// Writes text subtitles as one WebVTT file (W3C WebVTT).
///
/// Unchecked: as its owner.
private final class WebVTTFile: PacketSink, @unchecked Sendable {
    private let file: FileDescriptor
    private let output: String
    private(set) var byteCount: Int64 = 0

    init(_ path: String, output: String) throws(TranscodeError) {
        self.output = output
        do throws(SystemError) { file = try FileDescriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL) } catch {
            throw TranscodeError(output: "'\(output)' cannot be written", error.code)
        }
        try append("WEBVTT\n")
    }

    func open(_ stream: Int, _ description: OutputStreamDescription) {}

    func write(_ packet: Packet, to stream: Int) throws {
        guard let start = packet.presentationTime?.seconds, packet.duration > 0 else { return }
        let end = start + MediaTime(packet.duration, packet.timeBase).seconds
        let text = String(decoding: packet.bytes, as: UTF8.self)
        try append(WebVTT.cue(from: start, to: end, settings: packet.cueSettings, text))
    }

    func finish() throws {}

    private func append(_ text: String) throws(TranscodeError) {
        do throws(SystemError) { try file.writeAll(text) } catch {
            throw TranscodeError(output: "'\(output)' cannot be written", error.code)
        }
        byteCount += Int64(text.utf8.count)
    }
}

/// The text of WebVTT. Pure.
enum WebVTT {
    /// Returns a cue, preceded by an empty line.
    ///
    /// - Parameter settings: Where it is shown: `line:10% align:start`.
    static func cue(from start: Double, to end: Double, settings: String? = nil, _ text: String) -> String {
        // An empty line would end the cue.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: true).filter { !$0.isEmpty }
        let place = settings.map { " \($0)" } ?? ""
        return "\n\(time(start)) --> \(time(end))\(place)\n\(lines.joined(separator: "\n"))\n"
    }

    /// `01:02:03.250`
    static func time(_ seconds: Double) -> String {
        let total = max(0, Int((seconds * 1000).rounded()))
        func digits(_ number: Int, _ count: Int) -> String {
            String(repeating: "0", count: max(0, count - "\(number)".count)) + "\(number)"
        }
        return "\(digits(total / 3_600_000, 2)):\(digits(total / 60_000 % 60, 2)):\(digits(total / 1000 % 60, 2))"
            + ".\(digits(total % 1000, 3))"
    }
}
