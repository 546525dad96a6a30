import VTXTask

/// Arguments as a POSIX shell must see them.
enum ShellQuoting {
    private static let safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"

    static func command(_ arguments: [String]) -> String {
        arguments.map(quoted).joined(separator: " ")
    }

    /// The argument as it is where the shell leaves it alone, else in quotes.
    static func quoted(_ argument: String) -> String {
        if argument.consists(of: safe) { return argument }
        if argument.unicodeScalars.contains(where: \.isControl) { return escaped(argument) }
        return inSingleQuotes(argument)
    }

    /// In single quotes everything is itself; a single quote ends them, stands escaped and starts them again.
    static func inSingleQuotes(_ text: String) -> String {
        let pieces = text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + pieces.map { String($0) }.joined(separator: "'\\''") + "'"
    }

    /// `$'a\x0ab'`: a terminal would obey the bare control characters.
    private static func escaped(_ argument: String) -> String {
        var result = "$'"
        for scalar in argument.unicodeScalars {
            if scalar.isControl {
                for byte in String(scalar).utf8 {
                    result += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
                }
            } else {
                if scalar == "'" || scalar == "\\" { result += "\\" }
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "'"
    }
}
