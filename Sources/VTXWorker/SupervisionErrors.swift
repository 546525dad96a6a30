import Glibc
import VTXMedia
package import VTXSystem
package import VTXTask

/// How a task ends whose worker died, where nothing else is left to try.
extension TranscodeError {
    /// Required hardware forbids the second run.
    static func required(_ fault: DriverFailure) -> TranscodeError {
        TranscodeError(
            .hardwareFault, "\(fault.description), and \(option: .hardware, "require") forbids software",
            hint: "\(option: .hardware, "auto") goes on in software where a driver fails"
        ).on(fault.device)
    }

    /// What was being recorded is over.
    static func ended(by fault: DriverFailure) -> TranscodeError {
        TranscodeError(
            .hardwareFault, "\(fault.description), and ended the recording; what was recorded is in the output",
            hint: "\(option: .hardware, "off") leaves the GPU alone"
        ).on(fault.device)
    }

    /// What went through a pipe does not come again.
    static func endedPipe(_ fault: DriverFailure) -> TranscodeError {
        TranscodeError(
            .hardwareFault, "\(fault.description), and what went through a pipe does not come again",
            hint: "the next command leaves that GPU alone for a while; \(option: .hardware, "off") leaves all alone"
        ).on(fault.device)
    }

    static func forbiddenFallback(_ fault: DriverFailure) -> TranscodeError {
        forbiddenFallback(fault.description).on(fault.device)
    }

    /// The GPU was to be left alone.
    static func repeated(_ fault: DriverFailure) -> TranscodeError {
        TranscodeError(.workerCrashed, "\(fault.description), and did so before").on(fault.device)
    }

    /// A worker in which no driver was at work, or that was killed.
    /// - Parameter fault: what an earlier one died of.
    package static func worker(_ ending: ProcessEnding, after fault: DriverFailure?) -> TranscodeError {
        if case .killed = ending, !ending.isCrash {
            return TranscodeError(.workerKilled, "vtx \(ending.words), by another process or because memory ran out")
        }
        let whose = fault.map { "without a GPU, after \($0.description)" } ?? "and no GPU took part in that"
        return TranscodeError(.workerCrashed, "vtx or a library in it \(ending.words), \(whose)")
    }

    private func on(_ device: DeviceID?) -> TranscodeError {
        var error = self
        error.device = device
        return error
    }
}

/// The unfinished file that a worker writes before its output has its own name, seen from outside.
struct PartialFile {
    private let output: String
    private let path: String
    /// Which file it is, whatever its name; nil while there is none.
    private var identity: FileIdentity?
    private var mark: OwnerMark?

    /// - Parameter output: the output's own name; `docs/use.md` says where the unfinished file is.
    init(of output: String) {
        self.output = output
        path = AtomicFile.partialPath(for: output)
    }

    /// Looks which file it is, while the worker has it.
    mutating func look() {
        guard let found = FileIdentity(path), found != identity else { return }
        (identity, mark) = (found, OwnerMark(path))
    }

    /// Whether the file that the worker wrote has the output's name by now.
    var isInPlace: Bool { identity != nil && FileIdentity(output) == identity }

    /// Removes it.
    /// - Parameter isAbandoned: the worker is still there and never comes back; its lock means nothing.
    func remove(isAbandoned: Bool) {
        let isDirectory = FileStatus(path, followsLinks: false)?.kind == .directory
        let access = isDirectory ? O_RDONLY | O_DIRECTORY : O_RDWR
        guard let descriptor = try? FileDescriptor(opening: path, access | O_NOFOLLOW | O_NONBLOCK) else { return }
        // Another vtx may have begun the same output in the meantime; its lock says so.
        let isFree = descriptor.lock()
        guard isFree || isAbandoned, let named = FileIdentity(path), named == descriptor.status?.identity,
            isFree || named == identity
        else { return }
        if isDirectory { Directory.removeTree(path) } else { unlink(path) }
    }
}

/// Tells other processes that the worker that writes a file has an owner: a process that finds the file
/// locked without it waits for the worker's end.
private final class OwnerMark: Sendable {
    private let descriptor: FileDescriptor

    init?(_ path: String) {
        guard let descriptor = try? FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else {
            return nil
        }
        descriptor.markOwned()
        self.descriptor = descriptor
    }
}
