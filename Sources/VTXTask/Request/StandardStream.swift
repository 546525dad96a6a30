package import VTXMedia
import VTXSystem

/// Standard input and output in a file's place. They are read, and written, once, from their beginning to their end.
package enum StandardStream {
    /// What stands for them on a command line.
    package static let path = "-"

    /// As messages name an input.
    package static func input(_ path: String) -> String { path == Self.path ? "standard input" : "'\(path)'" }

    /// As messages name an output.
    package static func output(_ path: String) -> String { path == Self.path ? "standard output" : "'\(path)'" }
}

extension TranscodeRequest {
    package var readsPipe: Bool { input == StandardStream.path }
    package var writesPipe: Bool { output == StandardStream.path }
    package var usesPipe: Bool { readsPipe || writesPipe }

    package var inputName: String { StandardStream.input(input) }

    /// The container that is asked for: by its name, or by the output's. A pipe gets Matroska where none is named.
    package var container: Container? {
        if let format { return format }
        if writesPipe { return .mkv }
        return output.flatMap { Container(fileExtension: FileName.split($0).pathExtension) }
    }
}

/// What went through a pipe.
package struct PipedBytes: Sendable, Hashable, Codable {
    package var count: Int64
    /// Hexadecimal.
    package var sha256: String

    package init(count: Int64, sha256: String) { (self.count, self.sha256) = (count, sha256) }
}
