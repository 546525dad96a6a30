import VTXMedia
package import VTXTask

/// An error in the command line.
package enum UsageError: Error, Hashable {
    case unknownCommand(String, nearest: String?)
    case unknownOption(String, nearest: String?)
    case missingValue(option: String, expected: String)
    case unexpectedValue(option: String)
    case badValue(String, for: String, expected: String, nearest: String?)
    case conflict(String, String)
    case needs(String, String)
    case missingArgument(String)
    case unexpectedArgument(String)
    /// Several inputs without a directory for their outputs.
    case unexpectedInput(String)
    case notUTF8(String)
    /// Values that are valid individually but not together.
    case contradiction(String, hint: String?)
    /// The options are not a valid request.
    case request(TranscodeError)

    /// Returns the error for an invalid value, with a suggestion if the type is a list of words.
    static func badValue(_ given: String, for name: String, _ type: ValueDescription?) -> UsageError {
        var nearest: String?
        if case .words(let words) = type?.completion { nearest = Suggestion.nearest(to: given, in: words) }
        return .badValue(given, for: name, expected: type?.expected ?? "something else", nearest: nearest)
    }
}

extension UsageError {
    /// The equivalent error of a transcode.
    var asTranscodeError: TranscodeError {
        if case .request(let error) = self { return error }
        return TranscodeError(kind, Message(message), hint: hint.map { Message($0) })
    }

    private var kind: ErrorKind {
        switch self {
        case .unknownCommand: .unknownCommand
        case .unknownOption: .unknownOption
        case .missingValue: .missingValue
        case .unexpectedValue: .unexpectedValue
        case .badValue: .badValue
        case .conflict, .contradiction, .request: .conflict
        case .needs: .needsOption
        case .missingArgument: .missingArgument
        case .unexpectedArgument, .unexpectedInput: .unexpectedArgument
        case .notUTF8: .notUTF8
        }
    }

    private var message: String {
        switch self {
        case .unknownCommand(let name, _): "there is no command '\(name)'"
        case .unknownOption(let name, _): "there is no option '\(name)'"
        case .missingValue(let option, let expected): "\(option) needs a value: \(expected)"
        case .unexpectedValue(let option): "\(option) takes no value"
        case .badValue(let given, let name, let expected, _):
            "\(name): '\(given)' is not allowed; expected \(expected)"
        case .conflict(let one, let other): "\(one) and \(other) cannot be used together"
        case .needs(let option, let other): "\(option) needs \(other)"
        case .missingArgument(let name): "\(name) is missing"
        case .unexpectedArgument(let argument), .unexpectedInput(let argument):
            "unexpected argument '\(argument)'"
        case .notUTF8(let argument): "'\(argument)' is not valid UTF-8"
        case .contradiction(let message, _): message
        case .request(let error): error.message.withFlags
        }
    }

    /// Options of ffmpeg, x264 and HandBrake, and vtx's equivalents.
    private static let foreignOptions = [
        "-i": "inputs are given without an option: vtx transcode INPUT OUTPUT",
        "--input": "inputs are given without an option",
        "--h265": "it is --hevc", "--x265": "it is --hevc", "--x264": "it is --h264",
        "--crf": "it is --quality, 0 to 100",
        "-crf": "it is --quality, 0 to 100", "--qp": "it is --quality, 0 to 100", "--end": "it is --duration",
        "-to": "it is --duration", "-t": "it is --duration", "-ss": "it is --start", "-b:v": "it is --bitrate",
        "--vb": "it is --bitrate", "--maxrate": "it is --max-bitrate", "-r": "it is --fps", "-vf": "it is --filter",
        "-c:v": "it is --codec", "--encoder": "it is --codec", "--encopts": "it is --encoder-options",
    ]

    private var hint: String? {
        switch self {
        case .unknownOption(let name, _) where Self.foreignOptions[name] != nil: Self.foreignOptions[name]
        case .unknownCommand(_, let nearest?), .unknownOption(_, let nearest?),
            .badValue(_, _, _, let nearest?):
            "did you mean '\(nearest)'?"
        case .unknownCommand(let name, nil) where name.contains("/") || name.contains("."):
            "the command comes first: vtx transcode \(ShellQuoting.quoted(name))"
        case .unknownOption(let name, nil) where !name.hasPrefix("--") || name.contains("."):
            "a file whose name begins with '-' goes after '--'"
        case .unexpectedInput:
            "several inputs need --output-dir, --replace or --concat; names with spaces in them need quotes"
        case .unexpectedArgument:
            "quote names with spaces in them; write -- before names that start with a dash"
        case .notUTF8: "rename the file, or open it through a link: ln -s FILE link.mkv"
        case .contradiction(_, let hint): hint
        default: nil
        }
    }
}
