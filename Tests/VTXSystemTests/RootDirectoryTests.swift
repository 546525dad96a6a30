import Glibc
import Testing
import VTXSystem
import VTXTestMedia

@Suite("Paths beneath a root")
struct RootDirectoryTests {
    private let directory: TemporaryDirectory
    private let root: RootDirectory

    init() throws {
        directory = try TemporaryDirectory()
        #expect(mkdir(directory.file("root"), 0o700) == 0)
        #expect(mkdir(directory.file("root/inside"), 0o700) == 0)
        try FileDescriptor(opening: directory.file("secret"), O_WRONLY | O_CREAT).writeAll("secret")
        try FileDescriptor(opening: directory.file("root/inside/clip"), O_WRONLY | O_CREAT).writeAll("clip")
        root = try RootDirectory(directory.file("root"))
    }

    @Test("a file beneath the root opens, even through a link that stays beneath it")
    func inside() throws {
        #expect(symlink("inside/clip", directory.file("root/link")) == 0)
        for path in ["inside/clip", "inside/../inside/clip", "link"] {
            let file = try root.open(path)
            #expect(try file.read(upTo: 10) == Array("clip".utf8))
        }
        #expect(try root.realPath("link") == "\(root.path)/inside/clip")
    }

    @Test(
        "neither '..', an absolute path nor a link leaves the root",
        arguments: ["../secret", "/etc/passwd", "out", "up/secret"])
    func outside(path: String) throws {
        #expect(symlink("../secret", directory.file("root/out")) == 0)
        #expect(symlink("..", directory.file("root/up")) == 0)
        #expect { _ = try root.realPath(path) } throws: { ($0 as? VTXSystem.SystemError)?.code == EXDEV }
    }

    @Test("a replaced directory gets a third name, and none is replaced if not allowed")
    func replacing() throws {
        let files = try OpenDirectory(directory.path)
        for name in ["new", "old"] {
            #expect(mkdir(directory.file(name), 0o700) == 0)
            try FileDescriptor(opening: directory.file("\(name)/\(name)"), O_WRONLY | O_CREAT).writeAll(name)
        }
        #expect { try files.renameDirectory("new", to: "old", aside: nil) } throws: {
            ($0 as? VTXSystem.SystemError)?.code == ENOTEMPTY
        }
        try files.renameDirectory("new", to: "old", aside: "aside")
        #expect(directory.names(in: "old") == ["new"] && directory.names(in: "aside") == ["old"])
        #expect(files.status("new") == nil)
    }

    @Test("a directory beneath it opens, and a file is created in it")
    func directories() throws {
        let inside = OpenDirectory(try root.open("inside", O_RDONLY | O_DIRECTORY))
        #expect(inside.path == "\(root.path)/inside")
        try root.open("inside/new", O_WRONLY | O_CREAT, permissions: 0o600).writeAll("new")
        #expect(inside.status("new")?.permissions == 0o600)
    }

    @Test("a file is renamed within the opened directory, and replaces another only if requested")
    func rename() throws {
        let inside = try OpenDirectory(directory.file("root/inside"))
        try inside.open("new", O_WRONLY | O_CREAT).writeAll("newer")
        #expect { try inside.rename("new", to: "clip", replaces: false) } throws: {
            ($0 as? VTXSystem.SystemError)?.code == EEXIST
        }
        #expect(inside.status("new") != nil)
        try inside.rename("new", to: "clip", replaces: true)
        #expect(inside.status("new") == nil)
        #expect(inside.status("clip")?.byteCount == 5)
    }
}
