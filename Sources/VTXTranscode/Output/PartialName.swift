/// The name that an output has while it is being written: beside its own.
package enum PartialName {
    package static func path(for output: String) -> String {
        let (directory, name) = FileName.directory(of: output)
        return "\(directory)/\(partialName(for: name))"
    }

    /// Hidden, and told apart from everything that a user would make. File systems allow 255 bytes.
    private static func partialName(for name: String) -> String {
        let plain = ".\(name).vtx-partial"
        guard plain.utf8.count > 255 else { return plain }
        // FNV-1a: the same name finds the same partial file again.
        let hash = name.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return ".\(String(hash, radix: 16)).vtx-partial"
    }
}
