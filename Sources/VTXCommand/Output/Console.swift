import VTXTask

/// Where a command's words go: data to `output`, everything for people to `messages`.
package struct Console: Sendable {
    package let output: any TextSink
    let messages: any TextSink
    /// What `messages` is connected to.
    let terminal: Terminal

    /// How wide help may be: readable on wide screens, and the same in files everywhere.
    var helpWidth: Int { min(max(terminal.width(), 40), 100) }

    /// One line for people, after the program's name.
    package func say(_ label: Label? = nil, _ text: String) {
        let prefix = label.map { $0.painted(terminal.usesColor) + " " } ?? ""
        messages.write("vtx: \(prefix)\(text.printable)\n")
    }

    /// Prints an error and what would help.
    func explain(_ error: TranscodeError) {
        say(.error, error.message.withFlags)
        if let hint = error.hint { say(.hint, hint.withFlags) }
    }

    /// Ends a command that failed before or without a transcode.
    func report(_ error: TranscodeError, asJSON: Bool) -> ExitCode {
        explain(error)
        if asJSON { output.write(ResultRecord(error).line) }
        return error.exitCode
    }
}

/// The word before a message that says what kind of message it is.
package enum Label: String, Sendable {
    case error
    case hint
    case downgrade
    case conversion
    case fallback
    case warning

    /// `error:`, in color where that is wanted.
    func painted(_ usesColor: Bool) -> String {
        usesColor ? "\u{1B}[\(color)m\(rawValue):\u{1B}[0m" : "\(rawValue):"
    }

    /// An SGR code of ECMA-48.
    private var color: String {
        switch self {
        case .error: "1;31"
        case .downgrade, .fallback, .warning: "33"
        case .hint, .conversion: "36"
        }
    }
}
