import Glibc

enum DirectoryListing {
    /// The names in a directory; none where it cannot be read.
    static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            withUnsafeBytes(of: &entry.pointee.d_name) { name in
                names.append(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
            }
        }
        return names.filter { $0 != "." && $0 != ".." }
    }

    /// Whether there is a GPU that might be asked; no driver is loaded for that.
    static var hasRenderNode: Bool { names(in: "/dev/dri").contains { $0.hasPrefix("renderD") } }
}
