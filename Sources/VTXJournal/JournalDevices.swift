import VTXJSON
import VTXSystem

/// The devices that have worked on the frames of a journal, for the report of the run that completes it.
package struct JournalDevices: Hashable, Sendable {
    /// The names of the devices by stage, in the order of use.
    package var stages: [String: [String]]

    private static let name = "devices.json"

    package init(_ stages: [String: [String]] = [:]) { self.stages = stages }

    /// Returns these devices and those of a later run, each once.
    package func followed(by later: JournalDevices) -> JournalDevices {
        JournalDevices(
            stages.merging(later.stages) { earlier, later in earlier + later.filter { !earlier.contains($0) } })
    }

    /// Writes the file without flushing it: no frame depends on it. A journal without one says less.
    package func write(to journal: JournalDirectory) {
        if let text = try? JSONValue(encoding: stages).text { try? journal.replace(Self.name, with: text) }
    }

    /// Returns no devices if the file is missing or incomplete.
    package static func read(from journal: JournalDirectory) -> JournalDevices {
        guard let text = TextFile.read(journal.file(name)) else { return JournalDevices() }
        return JournalDevices((try? JSONValue(parsing: Array(text.utf8)).decoded([String: [String]].self)) ?? [:])
    }
}
