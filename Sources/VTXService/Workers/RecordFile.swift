import Glibc
import VTXJSON
import VTXSystem

/// Reads the records that a worker writes into a file, one JSON object a line, as they come.
struct RecordFile: ~Copyable {
    private let file: FileDescriptor
    private var offset: Int64 = 0
    private var rest: [UInt8] = []

    init(_ path: String) throws(SystemError) { file = try FileDescriptor(opening: path, O_RDONLY) }

    /// What is new. A line without its end has to wait; one that is no JSON is left out.
    mutating func read() -> [JSONValue] {
        while let bytes = try? file.read(at: offset, upTo: 1 << 16), !bytes.isEmpty {
            offset += Int64(bytes.count)
            rest += bytes
        }
        guard let end = rest.lastIndex(of: newline) else { return [] }
        let lines = rest[..<end].split(separator: newline)
        let records = lines.compactMap { try? JSONValue(parsing: Array($0)) }
        rest.removeSubrange(...end)
        return records
    }
}

private let newline = UInt8(ascii: "\n")
