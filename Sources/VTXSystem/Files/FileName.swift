/// Paths as text; the file system is not asked.
package enum FileName {
    /// `dir/clip.part1.mp4` is `dir/clip.part1` and `mp4`; a leading dot is part of the name.
    package static func split(_ path: String) -> (stem: String, pathExtension: String) {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        guard let dot = path[slash...].lastIndex(of: "."), dot > slash else { return (path, "") }
        return (String(path[..<dot]), String(path[path.index(after: dot)...]))
    }

    /// The directory that holds the file, and the file's name in it.
    package static func directory(of path: String) -> (directory: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let directory = slash == path.startIndex ? "/" : String(path[..<slash])
        return (directory, String(path[path.index(after: slash)...]))
    }
}
