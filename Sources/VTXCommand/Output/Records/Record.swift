import VTXTask

/// One line of `--json`'s output. Times carry their unit in their names; readers ignore keys they do not know.
package protocol Record: Encodable, Sendable {
    /// Tells the records apart; never changes.
    var type: String { get }
}

extension Record {
    /// The record as JSON, newline included.
    package var line: String { JSONLine.text(self, spelling: FlagSpelling.spelling) }
}

extension TranscodeEvent {
    /// The event as a record, newline included.
    var line: String { JSONLine.text(self, spelling: FlagSpelling.spelling) }
}
