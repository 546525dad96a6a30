import CSystem
import Glibc
import VTXJobs
package import VTXSystem

/// The directories that jobs may read and write.
package final class Roots: Sendable {
    private struct Root: Sendable {
        /// The path as configured, which clients may use.
        var name: String
        var directory: RootDirectory
    }

    private let roots: [Root]

    /// - Parameter private: A directory that no job may use, also where it is below a root: that of the service's own
    ///   files.
    /// - Throws: if one is not a directory, or is the private one.
    package init(_ paths: [String], private: String? = nil) throws(Problem) {
        var roots: [Root] = []
        for path in paths {
            let directory: RootDirectory
            do throws(SystemError) { directory = try RootDirectory(path, excluding: `private`) } catch {
                throw Problem(400, "root.unusable", "the root '\(path)' cannot be used: \(error.reason)")
            }
            guard directory.path != `private` else {
                throw Problem(400, "root.unusable", "the root '\(path)' cannot be used: it is the state directory")
            }
            roots.append(Root(name: Self.normal(path.hasPrefix("/") ? path : directory.path), directory: directory))
        }
        self.roots = roots
    }

    /// Without symbolic links.
    package var paths: [String] { roots.map(\.directory.path) }

    /// A file below a root.
    package struct Place: Sendable {
        /// The path as the client wrote it.
        package var path: String
        var root: RootDirectory
        var relative: String

        package func open(_ flags: Int32 = O_RDONLY) throws(SystemError) -> FileDescriptor {
            try root.open(relative, flags)
        }

        /// Returns the resolved path.
        package func realPath() throws(SystemError) -> String { try root.realPath(relative) }

        /// Returns the resolved path, also of what does not exist yet.
        func futurePath() throws(SystemError) -> String {
            do throws(SystemError) { return try realPath() } catch {
                guard error.code == ENOENT, !relative.isEmpty else { throw error }
                return try parent.directory.futurePath() + "/" + parent.name
            }
        }

        /// The parent directory, and the name in it.
        package var parent: (directory: Place, name: String) {
            let (directory, name) = FileName.directory(of: relative)
            let above = relative.contains("/") ? directory : ""
            return (Place(path: FileName.directory(of: path).directory, root: root, relative: above), name)
        }
    }

    /// - Throws: for a path that is relative or not below a root as written. Symbolic links are checked when it is
    ///   opened.
    package func place(_ path: String) throws(Problem) -> Place {
        guard path.hasPrefix("/") else { throw Problem(400, "path.relative", "'\(path)' is not an absolute path") }
        guard !path.utf8.contains(0) else { throw Problem(400, "path.invalid", "a path has no null characters") }
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

    /// Returns the location of a source, which must be an existing file.
    package func source(_ path: String) throws(Problem) -> Place {
        let place = try place(path)
        try check(place) { $0 == .regular ? nil : "not a file" }
        return place
    }

    /// Returns the resolved path of a source.
    func realPath(ofSource path: String) throws(Problem) -> String {
        let place = try source(path)
        do throws(SystemError) { return try place.realPath() } catch { throw problem(path, error) }
    }

    /// Returns the location of an existing directory.
    package func directory(_ path: String) throws(Problem) -> Place {
        let place = try place(path)
        do throws(Problem) { try check(place) { $0 == .directory ? nil : "not a directory" } } catch {
            var problem = error
            if problem.code == "path.notFound" { problem.hint = "create the directory first" }
            throw problem
        }
        return place
    }

    /// Creates a directory and its parents if they do not exist.
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
        if let what = kind.map(refuse) ?? "missing" { throw Problem(422, "path.kind", "'\(place.path)' is \(what)") }
    }

    /// Converts a failed system call to an error for clients.
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

    /// Normalizes a path: without double and trailing slashes and without `.`.
    private static func normal(_ path: String) -> String {
        "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }
}
