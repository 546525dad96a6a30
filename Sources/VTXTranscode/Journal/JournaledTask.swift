import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXTask

/// The differences that prevent a run from resuming from a journal.
struct JournalDifference: Sendable, Hashable {
    /// As text: `the size (640x360 then, 1280x720 now)`; empty if it can resume.
    var texts: [String] = []
    /// Whether the previous settings would allow it to resume.
    var isOfSettings = false

    var isNone: Bool { texts.isEmpty }
}

extension JournalDifference {
    private typealias Header = JournalHeader<JournaledTask>

    /// - Parameter now: The header that this run would write.
    /// - Returns: nil if the journal's header is corrupt.
    /// - Throws: if the header cannot be read, which says nothing about the journal.
    init?(of journal: JournalDirectory, to now: JournalHeader<JournaledTask>) throws(JournalError) {
        do throws(JournalError) {
            self.init(try Header.read(from: journal), now)
        } catch {
            switch error {
            case .otherFormat(_, let version):
                self.init(texts: ["the journal's format (\(version) then, \(Header.currentVersion) now)"])
            case .otherTask(_, let versions):
                self.init(texts: Header.differences(of: versions, to: now.versions))
                if isNone { return nil }
            case .damagedHeader: return nil
            case .busy, .notADirectory, .system: throw error
            }
        }
    }

    init(_ then: JournalHeader<JournaledTask>, _ now: JournalHeader<JournaledTask>) {
        let others = then.differencesOfSource(to: now) + Header.differences(of: then.versions, to: now.versions)
        let settings = then.task.differences(to: now.task)
        self.init(texts: settings + others, isOfSettings: others.isEmpty)
    }
}

/// The task that produced the video in a journal. Only the same task can resume from it.
struct JournaledTask: Codable, Hashable, Sendable {
    var plan: TranscodePlan
    /// The absolute path of the output.
    var output: String
    /// The arguments and working directory of the program.
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

    /// Returns a part of the encoding settings.
    private static func encoding(
        _ name: String, _ value: @escaping (VideoEncoding) -> some Equatable,
        _ text: @escaping (VideoEncoding) -> String
    ) -> Part { part(name, { $0.video.encoding.map(value) }, { $0.video.encoding.map(text) ?? "copied" }) }

    /// Returns a decision as in the plan.
    private static func decided(_ subject: String) -> (TranscodePlan) -> String {
        { $0.decisions.first { $0.subject == subject }?.choice ?? "" }
    }

    /// Everything that the video and its metadata depend on. Devices are not included: another device may continue.
    private static var parts: [Part] { coding + pictures + rest }

    private static var coding: [Part] {
        [
            part("the container", \.container) { "\($0.container)" },
            part("fragments", \.isFragmented) { $0.isFragmented ? "with" : "without" },
            encoding("the codec", \.codec) { "\($0.codec)" },
            encoding("the profile", \.encoder.profile) { $0.encoder.profile.name },
            encoding("the size", \.encoder.size) { "\($0.encoder.size)" },
            encoding("the pixel format", \.encoder.pixelFormat) { "\($0.encoder.pixelFormat)" },
            part("the quality or bit rate", { $0.video.encoding?.encoder.rateControl }, decided("rate")),
            encoding("the preset", \.encoder.preset) { $0.encoder.preset.rawValue },
            encoding("the tuning", \.encoder.tuning) { $0.encoder.tuning?.rawValue ?? "none" },
            encoding("the encoder's options", \.encoder.options) { $0.encoder.options.text },
            part(
                "key frames",
                { $0.video.encoding.map { [Double($0.encoder.maxKeyFrameInterval), $0.keyFrameSeconds ?? 0] } },
                decided("key frames")),
            encoding("B frames", \.encoder.allowsFrameReordering) {
                $0.encoder.allowsFrameReordering ? "with" : "without"
            },
        ]
    }

    private static var pictures: [Part] {
        [
            part("the frame rate", { [$0.video.frameRate, $0.video.timeBase] }, decided("frame rate")),
            part("colors", { $0.video.encoding?.encoder.color }),
            part("HDR metadata", { $0.video.encoding?.encoder.hdrMetadata }),
            part("Dolby Vision", { $0.video.encoding?.dolbyVision }),
            part("filters", { $0.video.encoding?.filter }),
            part("rotation", \.video.displayMatrix),
        ]
    }

    private static var rest: [Part] {
        [
            part("the range of the source", \.timestamps),
            part(
                "streams or their conversion",
                {
                    $0.streams.map {
                        "\($0.source.index) \($0.action) \($0.outputIndex ?? -1) \($0.source.metadata) "
                            + "\($0.source.disposition.names)"
                    }
                }),
            part("chapters", \.chapters),
            part("tags", \.metadata),
        ]
    }

    /// Returns the differences as text: `the size (640x360 then, 1280x720 now)`.
    func differences(to other: JournaledTask) -> [String] {
        Self.parts.filter { $0.differs(plan, other.plan) }.map { part in
            let (then, now) = (part.text(plan), part.text(other.plan))
            return then == now ? part.name : "\(part.name) (\(then) then, \(now) now)"
        }
    }
}

extension JournalHeader<JournaledTask> {
    fileprivate func differencesOfSource(to now: Self) -> [String] {
        guard source.byteCount == now.source.byteCount else {
            return ["the source (\(source.byteCount) bytes then, \(now.source.byteCount) now)"]
        }
        if source == now.source { return (additions ?? []) == (now.additions ?? []) ? [] : ["the added files"] }
        return [source.digest == now.source.digest ? "the time of the source's last change" : "the source's content"]
    }

    /// Returns the differences of library versions.
    fileprivate static func differences(of then: [String: String], to now: [String: String]) -> [String] {
        Set(then.keys).union(now.keys).sorted().filter { then[$0] != now[$0] }
            .map { "\($0) (\(then[$0] ?? "none") then, \(now[$0] ?? "none") now)" }
    }

    static func versions(_ program: String) -> [String: String] {
        Dictionary(FFmpegVersions.linked.map { ($0.name, $0.version) } + [("vtx", program)]) { first, _ in first }
    }
}

extension TranscodePlan {
    /// The separate files that contribute streams to the output.
    var addedFiles: [String] { streams.filter { !$0.isDropped }.compactMap(\.source.file) }
}
