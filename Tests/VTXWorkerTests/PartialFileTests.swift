import Testing
import VTXSystem
import VTXTestValues

@testable import VTXWorker

@Suite("The partial file, seen from outside")
struct PartialFileTests {
    private let shell = ShellScript()

    @Test("it is the output's partial file", arguments: ["out.mp4", "größer %.mkv", "a"])
    func sameFile(name: String) throws {
        let output = shell.path(name)
        let file = try AtomicFile.reserve(output, replaces: false)
        var partial = PartialFile(of: output)
        partial.look()
        #expect(!partial.isInPlace)
        partial.remove(isAbandoned: false)
        #expect(AtomicFile.exists(file.partialPath), "a file that is locked is in use")
        partial.remove(isAbandoned: true)
        #expect(!AtomicFile.exists(file.partialPath))
    }

    @Test("another vtx sees whether its writer has an owner")
    func owner() throws {
        let output = shell.path("out.mp4")
        let file = try AtomicFile.reserve(output, replaces: false)
        let seen = try FileDescriptor(opening: file.partialPath)
        var owned = [seen.isOwned]
        do {
            var partial = PartialFile(of: output)
            partial.look()
            owned.append(seen.isOwned)
            withExtendedLifetime(partial) {}
        }
        owned.append(seen.isOwned)
        #expect(owned == [false, true, false])
        withExtendedLifetime(file) {}
    }

    @Test("it is in place after the rename")
    func inPlace() throws {
        let output = shell.path("out.mp4")
        let file = try AtomicFile.reserve(output, replaces: true)
        var partial = PartialFile(of: output)
        partial.look()
        try file.commit()
        partial.look()
        #expect(partial.isInPlace)
        partial.remove(isAbandoned: false)
        #expect(AtomicFile.exists(output))
    }

    @Test("a dead worker's file is removed")
    func leftover() throws {
        let output = shell.path("out.mp4")
        let path = try AtomicFile.reserve(output, replaces: false).partialPath
        #expect(AtomicFile.exists(path))
        PartialFile(of: output).remove(isAbandoned: false)
        #expect(!AtomicFile.exists(path))
    }
}
