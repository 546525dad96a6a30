import VTXTask

extension ValueType where Value == String {
    /// `-` is refused: vtx seeks in its input, and reads back and renames what it wrote.
    static func filePath(_ name: String) -> ValueType {
        let expected = "the path of a file; not '-', as pipes cannot be sought in (write ./- for such a name)"
        return ValueType(
            name, expects: expected, completion: .files, read: { $0.isEmpty || $0 == "-" ? nil : $0 })
    }

    /// What is read once, from its beginning: a pipe will do.
    static func inputPath(_ name: String) -> ValueType {
        ValueType(
            name, expects: "the path of a file, or - for standard input", completion: .files,
            read: { $0.isEmpty ? nil : $0 })
    }
}
