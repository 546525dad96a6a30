import Glibc
import Testing
import VTXJobs
import VTXSystem

@testable import VTXService

@Suite("When a watched file is complete")
struct WatchedTreeTests {
    private let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private func tree() throws -> WatchedTree {
        try WatchedTree(WatchFolder(path: directory.path, settleSeconds: 10), directory.path, at: 0)
    }

    private func settled(_ tree: WatchedTree, at now: Double) -> [String] {
        tree.take(at: now)
        return tree.settled(at: now).map(\.path)
    }

    @Test("an open file is complete once closed")
    func written() throws {
        let tree = try tree()
        let file = try FileDescriptor(opening: directory.file("a.mp4"), O_WRONLY | O_CREAT, permissions: 0o600)
        try file.writeAll("half")
        #expect(settled(tree, at: 5).isEmpty)
        try file.writeAll("half")
        close(file)
        #expect(settled(tree, at: 6).isEmpty)
        #expect(settled(tree, at: 7.5) == ["a.mp4"])
    }

    private func close(_ file: consuming FileDescriptor) {}

    @Test("a moved file is complete; a hidden one is ignored")
    func moved() throws {
        let tree = try tree()
        try directory.write("clip", to: ".a.mp4.part")
        #expect(settled(tree, at: 20).isEmpty)
        try OpenDirectory(directory.path).rename(".a.mp4.part", to: "a.mp4", replaces: false)
        #expect(settled(tree, at: 21).isEmpty)
        #expect(settled(tree, at: 22.5) == ["a.mp4"])
    }

    @Test("files in a moved directory are complete once unchanged")
    func directories() throws {
        let tree = try tree()
        _ = directory.makeDirectory(".new")
        try directory.write("clip", to: ".new/a.mp4")
        try OpenDirectory(directory.path).rename(".new", to: "new", replaces: false)
        #expect(settled(tree, at: 5).isEmpty)
        #expect(settled(tree, at: 14).isEmpty)
        #expect(settled(tree, at: 15.5) == ["new/a.mp4"])
    }

    @Test("a known file is reported again only after a change")
    func noted() throws {
        try directory.write("clip", to: "a.mp4")
        let tree = try tree()
        let found = tree.settled(at: 11)
        #expect(found.map(\.path) == ["a.mp4"])
        tree.note("a.mp4", found[0].stamp)
        tree.scan(at: 12)
        #expect(settled(tree, at: 30).isEmpty)
        try directory.write("another", to: "a.mp4")
        #expect(settled(tree, at: 31).isEmpty)
        #expect(settled(tree, at: 32.5) == ["a.mp4"])
    }
}
