import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXTask

/// What the video in a journal was made by: only the same goes on with it.
struct JournaledTask: Codable, Hashable, Sendable {
    var plan: TranscodePlan
    /// The output, from the root directory on.
    var output: String
    /// What the program was told, and where.
    var command: [String]
    var workingDirectory: String

    init(_ plan: TranscodePlan, _ request: JournalRequest) {
        self.plan = plan
        output = request.absolutePath(plan.output)
        command = request.command
        workingDirectory = request.workingDirectory
    }
}

extension JournaledTask {
    private typealias Part = (
        name: String, differs: (TranscodePlan, TranscodePlan) -> Bool, text: (TranscodePlan) -> String
    )

    private static func part(
        _ name: String, _ value: @escaping (TranscodePlan) -> some Equatable,
        _ text: @escaping (TranscodePlan) -> String = { _ in "" }
    ) -> Part { (name, { value($0) != value($1) }, text) }

    /// All that the video and what is beside it depend on. Devices are not among it: another one may go on.
    private static var parts: [Part] {
        [
            part("the container", \.container) { "\($0.container)" },
            part("fragments", \.isFragmented),
            part("the codec", \.video.encoder.codec) { "\($0.video.encoder.codec)" },
            part("the profile", \.video.encoder.profile) { $0.video.encoder.profile.name },
            part("the size", \.video.encoder.size) { "\($0.video.encoder.size)" },
            part("the pixel format", \.video.encoder.pixelFormat) { "\($0.video.encoder.pixelFormat)" },
            part("the quality or bit rate", \.video.encoder.rateControl),
            part("the preset", \.video.encoder.preset) { $0.video.encoder.preset.rawValue },
            part(
                "key frames",
                { [$0.video.encoder.maxKeyFrameInterval.description, "\($0.video.keyFrameSeconds ?? 0)"] }),
            part("B frames", \.video.encoder.allowsFrameReordering),
            part("the frame rate", { [$0.video.encoder.frameRate, $0.video.encoder.timeBase] }),
            part("colors", \.video.encoder.color),
            part("HDR metadata", \.video.encoder.hdrMetadata),
            part("filters", \.video.filter),
            part("rotation", \.video.displayMatrix),
            part("the part of the source", \.timestamps),
            part("streams", { $0.streams.map { "\($0.source.index) \($0.action) \($0.outputIndex ?? -1)" } }),
            part("chapters", \.chapters),
            part("tags", \.metadata),
        ]
    }

    /// What differs, in words: `the size (640x360 then, 1280x720 now)`.
    func differences(to other: JournaledTask) -> [String] {
        Self.parts.filter { $0.differs(plan, other.plan) }.map { part in
            let (then, now) = (part.text(plan), part.text(other.plan))
            return then == now ? part.name : "\(part.name) (\(then) then, \(now) now)"
        }
    }
}

extension JournalHeader<JournaledTask> {
    /// - Parameter now: what this run would write.
    func differences(to now: Self) -> [String] {
        var differences: [String] = []
        if source.byteCount != now.source.byteCount {
            differences.append("the source (\(source.byteCount) bytes then, \(now.source.byteCount) now)")
        } else if source != now.source {
            let isTouched = source.digest == now.source.digest
            differences.append(isTouched ? "the time of the source's last change" : "the source's content")
        }
        differences += task.differences(to: now.task)
        for name in Set(versions.keys).union(now.versions.keys).sorted() where versions[name] != now.versions[name] {
            differences.append("\(name) (\(versions[name] ?? "none") then, \(now.versions[name] ?? "none") now)")
        }
        return differences
    }

    static func versions(_ program: String) -> [String: String] {
        Dictionary(FFmpegVersions.linked.map { ($0.name, $0.version) } + [("vtx", program)]) { first, _ in first }
    }
}
