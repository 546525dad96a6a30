import Glibc

/// How busy a GPU is, as far as a program without privileges can see.
enum RenderNodeLoad {
    /// The number of other processes that have the node open; those of other users are not visible and not counted.
    static func others(using node: String) -> Int {
        entries(of: "/proc").filter { Int32($0) != nil && Int32($0) != getpid() }.count { process in
            let directory = "/proc/\(process)/fd"
            return entries(of: directory).contains { target(of: "\(directory)/\($0)") == node }
        }
    }

    private static func entries(of path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) })
        }
        return names
    }

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 64)
        let length = readlink(link, &buffer, buffer.count)
        guard length > 0, length < buffer.count else { return nil }
        return String(decoding: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
