import CSystem
import Glibc
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXMedia
import VTXSystem
import VTXTask

extension JobSpecification {
    /// Whether the output takes the place of the source.
    var replacesSource: Bool { settings[OptionName.replace.rawValue] == true }
}

extension Job {
    /// Whether its output takes the place of its source. A segment is a file of its own.
    var replacesSource: Bool { segment == nil && specification.replacesSource }

    /// The path of the source that the output replaces; nil if the source stays.
    var replacedSource: String? { replacesSource ? workload?.replacedSource?.path : nil }
}

extension JobFiles {
    /// Checks whether a job may replace its source, and whether it has one that can be replaced.
    func checkReplacement(_ specification: JobSpecification) throws(Problem) {
        guard specification.replacesSource else { return }
        guard mayReplaceSources else {
            throw Self.refused(
                403, "replace.notAllowed", "/settings/replace", "this service may not replace sources",
                hint: "the server's option 'allow-replace' allows it")
        }
        guard specification.input.path != nil else {
            throw Self.refused(
                422, "replace.source", "/input", "an upload or a URL cannot be replaced; 'replace' needs 'input.path'")
        }
        guard specification.output == nil else {
            throw Self.refused(
                422, "replace.output", "/output", "with 'replace' the output takes the place of the source",
                hint: "leave out the output, or 'replace'")
        }
    }

    private static func refused(
        _ status: Int, _ code: String, _ pointer: String, _ message: String, hint: String? = nil
    ) -> Problem {
        Problem(status, code, message, hint: hint, errors: [SchemaProblem(pointer, message, isSentence: true)])
    }
}

/// The source of a job, which its output replaces. All names are those of the open directory.
struct ReplacedSource {
    private let replacement: SourceReplacement
    private let place: OutputPlace
    private let names: Names

    /// - Parameter isInPlace: Whether the output has its name already.
    /// - Throws: `Failure` if the source is not as it was planned, or cannot be replaced.
    init(
        of job: Job, _ place: OutputPlace, in directory: borrowing OpenDirectory, isInPlace: Bool = false
    ) throws(Failure) {
        guard let planned = job.workload?.replacedSource else {
            throw Failure(.worker, "worker.plan", "the job replaces its source, but has no plan")
        }
        let (path, name) = FileName.directory(of: planned.path)
        let opened = directory.openedPath
        (self.place, names) = (place, Names(source: planned.path, output: place.path, opened: opened, directory: path))
        // Another directory may have this path by now.
        guard directory.path == path else { throw names.failure(.changed) }
        let input = job.specification.input.path ?? planned.path
        do throws(SourceReplacementError) {
            replacement = try SourceReplacement(
                input, at: "\(opened)/\(name)", by: "\(opened)/\(place.name)", expecting: planned.state,
                isInPlace: isInPlace)
        } catch { throw names.failure(error) }
    }

    /// Finds out before the work whether the output can have the attributes of the source. A file system without
    /// unnamed files tells that at the end.
    func tryAttributes(in directory: borrowing OpenDirectory) throws(Failure) {
        guard let file = try? directory.open(".", O_TMPFILE | O_RDWR, permissions: 0o600) else { return }
        do throws(SourceReplacementError) {
            try replacement.giveAttributes { attributes throws(SystemError) in try attributes.applyOwnership(to: file) }
        } catch { throw names.failure(error) }
    }

    /// Gives the complete output the attributes of the source, and writes both to the disk.
    ///
    /// - Parameter isIncomplete: Whether the source is corrupt or truncated.
    func finish(isIncomplete: Bool, in directory: borrowing OpenDirectory) throws(Failure) {
        let file = try openStaged(in: directory)
        do throws(SourceReplacementError) {
            try replacement.checkEnd(isIncomplete: isIncomplete)
            try replacement.giveAttributes { attributes throws(SystemError) in try attributes.apply(to: file) }
        } catch { throw names.failure(error) }
        do throws(SystemError) { try file.synchronize() } catch { throw .output(error, names.output) }
    }

    private func openStaged(in directory: borrowing OpenDirectory) throws(Failure) -> FileDescriptor {
        do throws(SystemError) { return try directory.open(place.stagingName, O_RDONLY | O_NOFOLLOW) } catch {
            throw .output(error, names.output)
        }
    }

    /// Replaces the source. Between any two of its steps one of the two files is there, complete.
    func commit(in directory: borrowing OpenDirectory) throws(Failure) {
        do throws(SourceReplacementError) { try replacement.checkUnchanged() } catch { throw names.failure(error) }
        do throws(SystemError) { try place.publish(in: directory, replaces: !replacement.isRename) } catch {
            throw error.isExisting ? names.failure(.outputExists) : .output(error, names.output)
        }
        try remove()
    }

    /// Removes the source if its output has another name, and that by now. A file that has been put in its place since
    /// is left alone: where a host stood still for a while, another one may have done the rest.
    func remove() throws(Failure) {
        do throws(AtomicFileError) { _ = try replacement.removeSource() } catch { throw names.notRemoved(error) }
    }
}

extension Failure {
    /// The failure for a source that is not as it was planned.
    static func changed(_ source: String) -> Failure {
        Failure(
            .source, ErrorKind.inputChanged.rawValue, "'\(source)' has changed since the job was planned, and stays",
            hint: "retry the job when the file is complete")
    }
}

/// The names in messages about a replacement.
private struct Names {
    let source: String
    let output: String
    /// The path by which the open directory is used, and the one that clients know.
    let opened: String
    let directory: String

    func failure(_ error: SourceReplacementError) -> Failure {
        switch error {
        case .changed: .changed(source)
        case .outputExists:
            Failure(
                .output, ErrorKind.outputExists.rawValue, "'\(output)' exists already, and is not '\(source)'",
                hint: "give one of them another name")
        case .refused(let reason, let hint):
            Failure(
                .source, ErrorKind.outputNotReplaced.rawValue, "'\(source)' cannot be replaced: \(shown(reason))",
                hint: hint.map(shown) ?? "without the setting 'replace' the output gets its own name")
        }
    }

    func notRemoved(_ error: AtomicFileError) -> Failure {
        var reason = ""
        if case .system(_, let error) = error { reason = ": \(error.reason)" }
        return Failure(
            .output, ErrorKind.outputPermission.rawValue,
            "the output '\(output)' is complete, but '\(source)' cannot be removed\(reason)")
    }

    private func shown(_ text: String) -> String { text.replacing(opened, with: directory) }
}
