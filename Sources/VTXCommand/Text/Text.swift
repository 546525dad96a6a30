import VTXMedia
import VTXTask

extension String {
    /// The text without control characters that a terminal would interpret, because file names may contain anything.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isControl {
                result += "\\x" + String(scalar.value, radix: 16)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Wraps words into lines of at most this many columns; longer words get their own line.
    func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        for word in split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

extension Unicode.Scalar {
    /// C0, DEL and C1, the control characters of ECMA-48.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}

/// Quotes arguments for POSIX shells.
enum ShellQuoting {
    private static let safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"

    static func command(_ arguments: [String]) -> String {
        arguments.map(quoted).joined(separator: " ")
    }

    /// Returns the argument, in quotes if necessary.
    static func quoted(_ argument: String) -> String {
        if argument.consists(of: safe) { return argument }
        if argument.unicodeScalars.contains(where: \.isControl) { return escaped(argument) }
        return inSingleQuotes(argument)
    }

    /// In single quotes, all characters are literal; a single quote ends them, is escaped, and starts them again.
    static func inSingleQuotes(_ text: String) -> String {
        let pieces = text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + pieces.map { String($0) }.joined(separator: "'\\''") + "'"
    }

    /// Returns `$'a\x0ab'`, because a terminal would interpret bare control characters.
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

/// Formats quantities for users.
enum Format {
    /// `12.3`; one digit after the point.
    static func tenths(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "?" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    /// `999 B`, `12.3 MB`, in decimal units, like disks and bit rates.
    static func bytes(_ count: Int64) -> String {
        guard count >= 1000 else { return "\(count) B" }
        var value = Double(count) / 1000
        for unit in ["kB", "MB", "GB"] {
            // 999.95 would be formatted as 1000.0.
            if value < 999.95 { return "\(tenths(value)) \(unit)" }
            value /= 1000
        }
        return "\(tenths(value)) TB"
    }

    /// `0:21`, `1:02:03`; whole seconds.
    static func clock(_ seconds: Double) -> String {
        guard seconds.isFinite, (0..<1e9).contains(seconds) else { return "?" }
        let total = Int(seconds.rounded())
        let (hours, minutes) = (total / 3600, total / 60 % 60)
        let rest = twoDigits(total % 60)
        return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(rest)" : "\(minutes):\(rest)"
    }

    /// `42 ms`.
    static func milliseconds(_ seconds: Double) -> String {
        seconds.isFinite && abs(seconds) < 1e9 ? "\(Int((seconds * 1000).rounded())) ms" : "?"
    }

    /// `2.3x`: seconds of video per second of time.
    static func speed(_ factor: Double) -> String { "\(tenths(factor))x" }

    /// `30`, `29.97` frames per second.
    static func rate(_ rate: Rational) -> String {
        let hundredths = Int((rate.value * 100).rounded())
        let fraction = hundredths % 100
        guard fraction > 0 else { return "\(hundredths / 100)" }
        return "\(hundredths / 100)." + (fraction.isMultiple(of: 10) ? "\(fraction / 10)" : twoDigits(fraction))
    }

    /// `1 frame`, `2 frames`.
    static func frames(_ count: Int) -> String { count == 1 ? "1 frame" : "\(count) frames" }

    static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
