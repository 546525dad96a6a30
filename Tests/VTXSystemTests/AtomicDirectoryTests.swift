import Glibc
import Testing
import VTXTestMedia
import VTXSystem

@Suite("A directory is renamed when it is complete")
struct AtomicDirectoryTests {
    private let directory: TemporaryDirectory
    private let contents = AtomicDirectory.Contents(marks: ["main.txt"], extensions: ["txt"])
    private var path: String { directory.file("out") }

    init() throws { directory = try TemporaryDirectory() }

    private func reserve(replaces: Bool = false, source: String = "/nowhere/in.mp4") throws(AtomicFileError)
        -> AtomicDirectory
    {
        try AtomicDirectory.reserve(path, replaces: replaces, source: source, contents)
    }

    private func isWanted(_ policy: OverwritePolicy) throws(AtomicFileError) -> Bool {
        try AtomicDirectory.isWanted(path, policy, contents)
    }

    private func failure(_ body: () throws(AtomicFileError) -> Void) -> AtomicFileError? {
        do throws(AtomicFileError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    /// A complete directory.
    private func write(_ text: String, replaces: Bool = false) throws {
        let output = try reserve(replaces: replaces)
        try output.write(text, to: "main.txt")
        try output.synchronize()
        try output.commit()
    }

    @Test("the final name does not exist before the commit, the partial one not after it")
    func commit() throws {
        let output = try reserve()
        try output.write("whole", to: "main.txt")
        #expect(directory.names == [".out.vtx-partial"] && output.byteCount == 5)
        try output.commit()
        #expect(directory.names == ["out"] && output.byteCount == 5)
        #expect(try Files.read("\(path)/main.txt") == Array("whole".utf8))
    }

    @Test("with its name it is known by its files, and nothing is left to do before what follows")
    func identity() throws {
        try write("old")
        let output = try reserve(replaces: true)
        try output.write("whole", to: "main.txt")
        let before = try SourceIdentity(ofOutput: output.partialPath)
        try output.commit { () throws(AtomicFileError) in
            #expect(directory.names == ["out"])
            #expect((try? SourceIdentity(ofOutput: path)) == before)
        }
        try Files.write("other", to: "\(path)/other.txt")
        #expect(try SourceIdentity(ofOutput: path) != before)
    }

    @Test("the writer of a killed run is waited for, unless it has an owner")
    func waits() throws {
        let first = try reserve()
        let ends = LockTimeout(seconds: 60) { first.discard() }
        #expect(throws: AtomicFileError.busy(path: path)) {
            let owner = try FileDescriptor(opening: first.partialPath)
            owner.markOwned()
            try withExtendedLifetime(owner) {
                _ = try AtomicDirectory.reserve(path, replaces: false, source: nil, contents, timeout: ends)
            }
        }
        let second = try AtomicDirectory.reserve(path, replaces: false, source: nil, contents, timeout: ends)
        try second.write("whole", to: "main.txt")
        try second.commit()
        withExtendedLifetime(first) { #expect(directory.names == ["out"]) }
    }

    @Test("discarding leaves nothing, and an empty directory is replaced")
    func discard() throws {
        let output = try reserve()
        try output.write("half", to: "main.txt")
        output.discard()
        #expect(directory.names.isEmpty)
        try Directory.make(path)
        #expect(try isWanted(.refuse))
        try write("whole")
        #expect(directory.names(in: "out") == ["main.txt"])
    }

    @Test("an existing one is replaced, kept or refused, and one with other files is never replaced")
    func policies() throws {
        try write("one")
        #expect(try isWanted(.replace) && !isWanted(.skip))
        #expect(failure { () throws(AtomicFileError) in _ = try isWanted(.refuse) } == .exists(path: path))
        try write("two", replaces: true)
        #expect(directory.names == ["out"])
        #expect(try Files.read("\(path)/main.txt") == Array("two".utf8))
        try Files.write("mine", to: "\(path)/mine.doc")
        #expect(failure { () throws(AtomicFileError) in _ = try isWanted(.replace) } == .foreignDirectory(path: path))
    }

    @Test("a file created meanwhile under the name is kept")
    func taken() throws {
        let output = try reserve()
        try Directory.make(path)
        try Files.write("other", to: "\(path)/other.doc")
        #expect(failure { () throws(AtomicFileError) in try output.commit() } == .exists(path: path))
        #expect(directory.names(in: ".") == ["out"] && directory.names(in: "out") == ["other.doc"])
    }

    @Test("another writing process is detected, and a killed one's leftovers are removed")
    func leftover() throws {
        let first = try reserve()
        try first.write("half", to: "half.txt")
        withExtendedLifetime(first) {
            #expect(failure { () throws(AtomicFileError) in _ = try reserve() } == .busy(path: path))
        }
        let partial = first.partialPath
        try Directory.make(directory.file(".other.vtx-partial"))
        try Files.write("half", to: directory.file(".other.vtx-partial/half.txt"))
        let other = try AtomicDirectory.reserve(
            directory.file("other"), replaces: false, source: "/nowhere/a", contents)
        #expect(directory.names(in: ".other.vtx-partial").isEmpty && other.partialPath != partial)
    }

    @Test("a source that is the leftover, or in it, is not removed")
    func sourceIsLeftover() throws {
        try Files.write("video", to: directory.file(".out.vtx-partial"))
        let file = directory.file(".out.vtx-partial")
        #expect(
            failure { () throws(AtomicFileError) in
                _ = try AtomicDirectory.reserve(path, replaces: false, source: file, contents)
            } == .isSource(path: file))
        try Directory.make(directory.file(".clip.vtx-partial"))
        let inside = directory.file(".clip.vtx-partial/half.txt")
        try Files.write("video", to: inside)
        #expect(
            failure { () throws(AtomicFileError) in
                _ = try AtomicFile.reserve(directory.file("clip"), replaces: false, source: inside)
            } == .containsSource(path: directory.file(".clip.vtx-partial")))
        #expect(FileStatus(file) != nil && FileStatus(inside) != nil)
    }

    @Test("a source in it is not overwritten")
    func source() throws {
        try write("one")
        try Files.write("in", to: "\(path)/in.txt")
        #expect(
            failure { () throws(AtomicFileError) in _ = try reserve(replaces: true, source: "\(path)/in.txt") }
                == .containsSource(path: path))
    }

    @Test("a directory that cannot be replaced is refused at once", arguments: [".", "..", "out/.", "/", "/proc"])
    func fixed(name: String) throws {
        try Directory.make(path)
        let fixed = name.hasPrefix("/") ? name : directory.file(name)
        #expect(
            failure { () throws(AtomicFileError) in
                _ = try AtomicDirectory.reserve(fixed, replaces: false, source: nil, contents)
            } == .fixedDirectory(path: fixed))
        #expect(
            failure { () throws(AtomicFileError) in _ = try AtomicDirectory.isWanted(fixed, .replace, contents) }
                == .fixedDirectory(path: fixed))
        #expect(directory.names == ["out"])
    }

    @Test("a killed run's file does not block a directory, nor vice versa")
    func otherForm() throws {
        let partial = AtomicFile.partialPath(for: path)
        try Files.write("half", to: partial)
        let output = try reserve()
        try output.write("half", to: "main.txt")
        withExtendedLifetime(output) {
            #expect(throws: AtomicFileError.self) { try AtomicFile.reserve(path, replaces: false) }
            #expect(directory.names(in: ".out.vtx-partial") == ["main.txt"], "one that is written stays")
        }
        output.discard()
        try Directory.make(partial)
        try Files.write("half", to: "\(partial)/main.txt")
        try AtomicFile.write("whole", to: path, replaces: false)
        #expect(directory.names == ["out"])
    }
}
