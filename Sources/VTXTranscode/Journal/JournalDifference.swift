import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXSystem
import VTXTask

/// The differences that prevent a run from resuming from a journal.
struct JournalDifference: Sendable, Hashable {
    /// As text: `--size (640x360 then, 1280x720 now)`; empty if it can resume.
    var texts: [Message] = []
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

extension JournalHeader<JournaledTask> {
    fileprivate func differencesOfSource(to now: Self) -> [Message] {
        guard source.byteCount == now.source.byteCount else {
            return ["the source (\(source.byteCount) bytes then, \(now.source.byteCount) now)"]
        }
        if source == now.source {
            return (additions ?? []) == (now.additions ?? []) ? [] : ["the added or burned-in files"]
        }
        return [source.digest == now.source.digest ? "the time of the source's last change" : "the source's content"]
    }

    /// Returns the differences of library versions.
    fileprivate static func differences(of then: [String: String], to now: [String: String]) -> [Message] {
        Set(then.keys).union(now.keys).sorted().filter { then[$0] != now[$0] }
            .map { "\($0) (\(then[$0] ?? "none") then, \(now[$0] ?? "none") now)" }
    }

    static func versions(_ program: String) -> [String: String] {
        Dictionary(FFmpegVersions.linked.map { ($0.name, $0.version) } + [("vtx", program)]) { first, _ in first }
    }
}
