package import VTXMedia
import VTXSystem

/// Standard input and output as files. They are read and written once, sequentially.
package enum StandardStream {
    /// Their name on the command line.
    package static let path = "-"

    /// Returns an input's name in messages.
    package static func input(_ path: String) -> String { path == Self.path ? "standard input" : "'\(path)'" }

    /// Returns an output's name in messages.
    package static func output(_ path: String) -> String { path == Self.path ? "standard output" : "'\(path)'" }
}

extension TranscodeRequest {
    package var readsPipe: Bool { input == StandardStream.path }
    package var writesPipe: Bool { output == StandardStream.path }
    package var usesPipe: Bool { readsPipe || writesPipe }

    package var inputName: String { StandardStream.input(input) }

    /// The requested container, by its name or by the output's. The default for a pipe is Matroska.
    package var container: Container? {
        if let format { return format }
        if writesPipe { return .mkv }
        return output.flatMap { Container(fileExtension: FileName.split($0).pathExtension) }
    }
}

/// The data that passed through a pipe.
package struct PipedBytes: Sendable, Hashable, Codable {
    package var count: Int64
    /// Hexadecimal.
    package var sha256: String

    package init(count: Int64, sha256: String) { (self.count, self.sha256) = (count, sha256) }
}
