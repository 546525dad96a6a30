import Glibc
import Testing
import VTXSystem
import VTXTestMedia

@Suite("A file descriptor")
struct FileDescriptorTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("is closed with its owner, and not inherited")
    func closes() throws {
        var number: Int32 = -1
        do {
            let descriptor = try FileDescriptor(opening: "/dev/null")
            number = descriptor.number
            #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
        }
        #expect(FileStatus(descriptor: number)?.kind != .characterDevice)
    }

    @Test("names the call and the file when it cannot be opened")
    func missing() {
        #expect(throws: SystemError("open '/none/file'", ENOENT)) { try FileDescriptor(opening: "/none/file").status }
    }

    @Test("reads what it wrote, in chunks of any size", arguments: [1, 7, 65536])
    func roundTrip(piece: Int) throws {
        let path = directory.file("bytes")
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        try FileDescriptor(opening: path, O_WRONLY | O_CREAT).writeAll(bytes.span.bytes)
        let file = try FileDescriptor(opening: path)
        var found: [UInt8] = []
        while case let more = try file.read(upTo: piece), !more.isEmpty { found += more }
        #expect(found == bytes)
        #expect(try FileDescriptor(opening: path).readAll(limit: 10) == Array(bytes.prefix(10)))
    }

    @Test("identifies a file by any of its names")
    func identity() throws {
        let (first, second) = (directory.file("a"), directory.file("b"))
        try FileDescriptor(opening: first, O_WRONLY | O_CREAT).writeAll("a")
        link(first, second)
        #expect(FileIdentity(first) == FileIdentity(second))
        #expect(FileIdentity(first) != FileIdentity(directory.path))
        #expect(FileStatus("/dev/null")?.identity == FileStatus("/proc/self/root/dev/null")?.identity)
    }

    @Test("a pipe whose other end is closed is hung up, even with unread bytes")
    func hangUp() throws {
        let pipe = try Pipe()
        let reading = try FileDescriptor(duplicating: pipe.reading.number)
        try pipe.writing.writeAll("left")
        #expect(!Poll.isHungUp(reading.number))
        _ = consume pipe
        #expect(Poll.isHungUp(reading.number))
    }

    @Test("a scratch directory is removed with its owner, or by the next one after a kill")
    func scratch() throws {
        let prefix = "vtx-test-scratch"
        let left = try Directory.makeTemporary(prefix)
        var first: ScratchDirectory? = try ScratchDirectory(prefix)
        let path = try #require(first?.path)
        #expect(FileStatus(left) == nil)
        let second = try ScratchDirectory(prefix)
        #expect(FileStatus(path)?.kind == .directory && second.path != path)
        first = nil
        #expect(FileStatus(path) == nil && FileStatus(second.path) != nil)
    }

    @Test("a directory is listed and removed recursively, without following links")
    func directories() throws {
        let outside = directory.file("outside")
        try FileDescriptor(opening: outside, O_WRONLY | O_CREAT).writeAll("kept")
        let tree = try Directory.makeTemporary("vtx-test")
        mkdir("\(tree)/inner", 0o700)
        try FileDescriptor(opening: "\(tree)/inner/file", O_WRONLY | O_CREAT).writeAll("gone")
        symlink(directory.path, "\(tree)/link")
        #expect(Set(Directory.names(in: tree)) == ["inner", "link"])
        Directory.removeTree(tree)
        #expect(FileStatus(tree) == nil && TextFile.read(outside) == "kept")
    }
}
