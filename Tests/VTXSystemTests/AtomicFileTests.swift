import Glibc
import Testing
import VTXTestMedia
import VTXSystem

@Suite("A file is renamed when it is complete")
struct AtomicFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("out.mp4") }

    init() throws { directory = try TemporaryDirectory() }

    private func failure(_ body: () throws(AtomicFileError) -> Void) -> AtomicFileError? {
        do throws(AtomicFileError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("the final name does not exist before the commit, the partial one not after it")
    func commit() throws {
        let file = try AtomicFile.reserve(path, replaces: false)
        #expect(directory.names == [".out.mp4.vtx-partial"])
        try Files.write("whole", to: file.partialPath)
        try file.synchronize()
        try file.commit()
        #expect(directory.names == ["out.mp4"])
        #expect(try Files.read(path) == Array("whole".utf8))
    }

    @Test("discarding leaves nothing")
    func discard() throws {
        let file = try AtomicFile.reserve(path, replaces: true)
        try Files.write("half", to: file.partialPath)
        file.discard()
        #expect(directory.names.isEmpty)
    }

    @Test("an impossible name is refused at once, but not the longest one")
    func longNames() throws {
        let tooLong = directory.file(String(repeating: "a", count: 252) + ".mp4")
        let refusal = failure { () throws(AtomicFileError) in
            _ = try AtomicFile.reserve(tooLong, replaces: false)
        }
        #expect(refusal == .system(path: tooLong, SystemError("stat", ENAMETOOLONG)))
        #expect(directory.names.isEmpty)
        let longest = String(repeating: "a", count: 251) + ".mp4"
        try AtomicFile.reserve(directory.file(longest), replaces: false).commit()
        #expect(directory.names == [longest])
    }

    @Test("a killed run's file is truncated and reused")
    func leftOver() throws {
        try Files.write("left over", to: directory.file(".out.mp4.vtx-partial"))
        let file = try AtomicFile.reserve(path, replaces: false)
        #expect(FileStatus(file.partialPath)?.byteCount == 0)
        file.discard()
    }

    @Test("a commit interrupted by a kill is completed, and blocks no other", arguments: [true, false])
    func cutShort(isAsked: Bool) throws {
        let partial = AtomicFile.partialPath(for: path)
        do {
            let file = try AtomicFile.reserve(path, replaces: false)
            #expect(link(file.partialPath, path) == 0)
            #expect(!AtomicFile.finishCommit(of: path), "its process lives")
            withExtendedLifetime(file) {}
        }
        if isAsked { #expect(AtomicFile.finishCommit(of: path)) }
        try AtomicFile.reserve(path, replaces: true).discard()
        #expect(AtomicFile.exists(path) && !AtomicFile.exists(partial))
    }

    @Test("both names exist while the commit is reported")
    func bothNames() throws {
        let path = directory.file("out.mkv")
        let file = try AtomicFile.reserve(path, replaces: false)
        try file.commit { #expect(AtomicFile.exists(path) && AtomicFile.exists(file.partialPath)) }
        #expect(AtomicFile.exists(path) && !AtomicFile.exists(file.partialPath))
    }

    @Test("two cannot write the same output; the second can after the first")
    func busy() throws {
        do {
            let first = try AtomicFile.reserve(path, replaces: false)
            #expect(
                failure { () throws(AtomicFileError) in _ = try AtomicFile.reserve(path, replaces: false)
                }
                    == .busy(path: path))
            #expect(AtomicFile.exists(first.partialPath))
            first.discard()
        }
        let second = try AtomicFile.reserve(path, replaces: false)
        second.discard()
        #expect(directory.names.isEmpty)
    }

    /// Holds the output until the third wait.
    private final class LeavingHolder: Sendable {
        private let file: Locked<AtomicFile?>
        let waits = Locked(0)

        init(_ path: String) throws { file = Locked(try AtomicFile.reserve(path, replaces: false)) }

        func pause() {
            let count = waits.withLock { waits in
                waits += 1
                return waits
            }
            guard count == 3 else { return }
            file.withLock { file in
                file?.discard()
                file = nil
            }
        }
    }

    @Test("an ending process is waited for, and removes only its own file")
    func leaving() throws {
        let holder = try LeavingHolder(path)
        let timeout = LockTimeout(seconds: 3600) { holder.pause() }
        let file = try AtomicFile.reserve(path, replaces: false, timeout: timeout)
        #expect(holder.waits.withLock(\.self) == 3 && AtomicFile.exists(file.partialPath))
        file.discard()
        let another = try AtomicFile.reserve(path, replaces: false)
        file.discard()
        #expect(AtomicFile.exists(another.partialPath))
    }

    @Test("a process with an owner is not waited for")
    func owned() throws {
        let first = try AtomicFile.reserve(path, replaces: false)
        let owner = try FileDescriptor(opening: first.partialPath)
        owner.markOwned()
        let timeout = LockTimeout(seconds: 3600) { Issue.record("it waits") }
        #expect(throws: AtomicFileError.busy(path: path)) {
            try AtomicFile.reserve(path, replaces: false, timeout: timeout)
        }
        _ = owner.number
        withExtendedLifetime(first) {}
    }

    enum InTheWay: CaseIterable, Sendable {
        case symbolicLink
        case hardLink
        case fifo
    }

    @Test("only regular files of its own are written to", arguments: InTheWay.allCases)
    func inTheWay(kind: InTheWay) throws {
        let (precious, partial) = (directory.file("precious"), directory.file(".out.mp4.vtx-partial"))
        try Files.write("precious", to: precious)
        switch kind {
        case .symbolicLink: symlink(precious, partial)
        case .hardLink: link(precious, partial)
        case .fifo: mkfifo(partial, 0o600)
        }
        #expect(
            failure { () throws(AtomicFileError) in _ = try AtomicFile.reserve(path, replaces: true) }
                != nil)
        #expect(try Files.read(precious) == Array("precious".utf8))
    }

    @Test("the input is never used as a partial file")
    func inputIsPartial() throws {
        let input = directory.file(".out.mp4.vtx-partial")
        try Files.write("clip", to: input)
        #expect(
            failure { () throws(AtomicFileError) in _ = try AtomicFile.reserve(path, replaces: true, source: input) }
                == .isSource(path: input))
        #expect(try Files.read(input) == Array("clip".utf8))
    }

    @Test("the longest possible name has a partial name")
    func longName() throws {
        let name = String(repeating: "x", count: 251) + ".mp4"
        let file = try AtomicFile.reserve(directory.file(name), replaces: false)
        try Files.write("whole", to: file.partialPath)
        try file.commit()
        #expect(directory.names == [name])
    }

    @Test("a file created meanwhile is not replaced", arguments: [true, false])
    func taken(overwrites: Bool) throws {
        let file = try AtomicFile.reserve(path, replaces: overwrites)
        try Files.write("new", to: file.partialPath)
        try Files.write("another's", to: path)
        #expect(failure { () throws(AtomicFileError) in try file.commit() } == (overwrites ? nil : .exists(path: path)))
        #expect(directory.names == ["out.mp4"])
        #expect(try Files.read(path) == Array((overwrites ? "new" : "another's").utf8))
    }

    @Test(
        "an unwritable directory is reported before any work",
        arguments: [
            ("none/out.mp4", ENOENT), ("file/out.mp4", ENOTDIR),
        ])
    func places(name: String, code: Int32) throws {
        try Files.write("", to: directory.file("file"))
        #expect(
            failure { () throws(AtomicFileError) in
                _ = try AtomicFile.reserve(directory.file(name), replaces: false)
            }
                == .directory(FileName.directory(of: directory.file(name)).directory, SystemError("stat", code)))
        #expect(directory.names == ["file"])
    }

    @Test("a small file is replaced atomically, and only if allowed")
    func smallFile() throws {
        try AtomicFile.write("one", to: path, replaces: false)
        #expect(throws: AtomicFileError.exists(path: path)) {
            try AtomicFile.write("two", to: path, replaces: false)
        }
        #expect(TextFile.read(path) == "one")
        try AtomicFile.write("three", to: path, replaces: true)
        #expect(TextFile.read(path) == "three")
    }
}
