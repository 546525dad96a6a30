import CSystem
import Glibc
import VTXJobs
package import VTXSystem

/// The directories that jobs may read from and write to.
package final class Roots: Sendable {
    private struct Root: Sendable {
        /// As it was given; clients may use this name.
        var name: String
        var directory: RootDirectory
    }

    private let roots: [Root]

    /// - Throws: where one is no directory.
    package init(_ paths: [String]) throws(SystemError) {
        var roots: [Root] = []
        for path in paths {
            let directory = try RootDirectory(path)
            roots.append(Root(name: Self.normal(path.hasPrefix("/") ? path : directory.path), directory: directory))
        }
        self.roots = roots
    }

    /// Without symbolic links.
    package var paths: [String] { roots.map(\.directory.path) }

    /// A file below a root.
    package struct Place: Sendable {
        /// As the client wrote it.
        package var path: String
        var root: RootDirectory
        var relative: String

        package func open(_ flags: Int32 = O_RDONLY) throws(SystemError) -> FileDescriptor {
            try root.open(relative, flags)
        }

        /// Where it really is.
        package func realPath() throws(SystemError) -> String { try root.realPath(relative) }

        /// The directory that it is in, and its name there.
        package var parent: (directory: Place, name: String) {
            let (directory, name) = FileName.directory(of: relative)
            let above = relative.contains("/") ? directory : ""
            return (Place(path: FileName.directory(of: path).directory, root: root, relative: above), name)
        }
    }

    /// - Throws: for a path that is relative, or not below a root as it is written. Links are looked at when it is
    ///   opened.
    package func place(_ path: String) throws(Problem) -> Place {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw Problem(400, "path.relative", "'\(path)' is no absolute path")
        }
        guard !path.split(separator: "/").contains("..") else { throw outside(path) }
        let normal = Self.normal(path)
        for root in roots {
            for name in Set([root.name, root.directory.path]) {
                if normal == name { return Place(path: normal, root: root.directory, relative: "") }
                let prefix = name == "/" ? "/" : name + "/"
                if normal.hasPrefix(prefix) {
                    return Place(path: normal, root: root.directory, relative: String(normal.dropFirst(prefix.count)))
                }
            }
        }
        throw outside(path)
    }

    /// A source: a file that is there.
    package func source(_ path: String) throws(Problem) -> Place {
        let place = try place(path)
        try check(place) { $0 == .regular ? nil : "no file" }
        return place
    }

    /// A directory that is there.
    package func directory(_ path: String) throws(Problem) -> Place {
        let place = try place(path)
        try check(place) { $0 == .directory ? nil : "no directory" }
        return place
    }

    /// Makes a directory, and those above it, where they are not there.
    package func makeDirectory(_ path: String) throws(Problem) {
        let place = try place(path)
        if (try? place.open(O_PATH).status?.kind) == .directory { return }
        let (above, name) = place.parent
        guard !place.relative.isEmpty else { throw problem(path, SystemError("open", ENOENT)) }
        try makeDirectory(above.path)
        do throws(SystemError) {
            try OpenDirectory(try above.open(O_RDONLY | O_DIRECTORY)).makeDirectory(name)
        } catch { throw problem(path, error) }
    }

    private func check(_ place: Place, _ refuse: (FileStatus.Kind) -> String?) throws(Problem) {
        let kind: FileStatus.Kind?
        do throws(SystemError) { kind = try place.open(O_PATH).status?.kind } catch {
            throw problem(place.path, error)
        }
        if let what = kind.map(refuse) ?? "not there" { throw Problem(422, "path.kind", "'\(place.path)' is \(what)") }
    }

    /// What a failed system call means to a client.
    package func problem(_ path: String, _ error: SystemError) -> Problem {
        switch error.code {
        case EXDEV, ELOOP: outside(path)
        case ENOENT, ENOTDIR: Problem(422, "path.notFound", "there is no '\(path)'")
        case EACCES, EPERM: Problem(422, "path.denied", "'\(path)' cannot be opened: permission denied")
        default: Problem(422, "path.unusable", "'\(path)' cannot be opened: \(error.reason)")
        }
    }

    private func outside(_ path: String) -> Problem {
        Problem(
            403, "path.outside", "'\(path)' is not below a root of this service",
            hint: "roots: \(roots.map(\.name).joined(separator: ", "))")
    }

    /// Without double and final slashes and without `.`.
    private static func normal(_ path: String) -> String {
        "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }
}
