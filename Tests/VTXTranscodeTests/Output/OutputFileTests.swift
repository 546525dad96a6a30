import Glibc
import Testing
import VTXTestMedia

@testable import VTXTranscode

@Suite("The output under its two names")
struct OutputFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("out.mp4") }

    init() throws { directory = try TemporaryDirectory() }

    private func code(_ body: () throws(TranscodeError) -> Void) -> String? {
        do throws(TranscodeError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("the final name is not there before the commit, the partial one not after")
    func commit() throws {
        let file = try OutputFile.reserve(path, overwrites: false, input: "/none")
        #expect(directory.names == [".out.mp4.vtx-partial"])
        try Files.write("whole", to: file.partialPath)
        try file.synchronize()
        try file.commit()
        #expect(directory.names == ["out.mp4"])
        #expect(try Files.read(path) == Array("whole".utf8))
    }

    @Test("discarding leaves nothing")
    func discard() throws {
        let file = try OutputFile.reserve(path, overwrites: true, input: "/none")
        try Files.write("half", to: file.partialPath)
        file.discard()
        #expect(directory.names.isEmpty)
    }

    @Test("a name is refused at once where no file can have it, and the longest one is none of those")
    func longNames() throws {
        let tooLong = directory.file(String(repeating: "a", count: 252) + ".mp4")
        let refusal = code { () throws(TranscodeError) in
            _ = try OutputFile.reserve(tooLong, overwrites: false, input: "/none")
        }
        #expect(refusal == "output.nameTooLong")
        #expect(directory.names.isEmpty)
        let longest = String(repeating: "a", count: 251) + ".mp4"
        try OutputFile.reserve(directory.file(longest), overwrites: false, input: "/none").commit()
        #expect(directory.names == [longest])
    }

    @Test("what a killed run left is emptied and used")
    func leftOver() throws {
        try Files.write("left over", to: directory.file(".out.mp4.vtx-partial"))
        let file = try OutputFile.reserve(path, overwrites: false, input: "/none")
        #expect(OutputFile.byteCount(file.partialPath) == 0)
        file.discard()
    }

    @Test("two cannot write the same output; when one is done the other can")
    func busy() throws {
        do {
            let first = try OutputFile.reserve(path, overwrites: false, input: "/none")
            #expect(
                code { () throws(TranscodeError) in _ = try OutputFile.reserve(path, overwrites: false, input: "/none")
                }
                    == "output.busy")
            #expect(OutputFile.exists(first.partialPath))
            first.discard()
        }
        let second = try OutputFile.reserve(path, overwrites: false, input: "/none")
        second.discard()
        #expect(directory.names.isEmpty)
    }

    enum InTheWay: CaseIterable, Sendable {
        case symbolicLink
        case hardLink
        case fifo
    }

    @Test("what is not a file of its own is never written to", arguments: InTheWay.allCases)
    func inTheWay(kind: InTheWay) throws {
        let (precious, partial) = (directory.file("precious"), directory.file(".out.mp4.vtx-partial"))
        try Files.write("precious", to: precious)
        switch kind {
        case .symbolicLink: symlink(precious, partial)
        case .hardLink: link(precious, partial)
        case .fifo: mkfifo(partial, 0o600)
        }
        #expect(
            code { () throws(TranscodeError) in _ = try OutputFile.reserve(path, overwrites: true, input: "/none") }
                != nil)
        #expect(try Files.read(precious) == Array("precious".utf8))
    }

    @Test("the input is never taken for a partial file")
    func inputIsPartial() throws {
        let input = directory.file(".out.mp4.vtx-partial")
        try Files.write("film", to: input)
        #expect(
            code { () throws(TranscodeError) in _ = try OutputFile.reserve(path, overwrites: true, input: input) }
                == "output.isInput")
        #expect(try Files.read(input) == Array("film".utf8))
    }

    @Test("a name as long as the file system allows has a partial name too")
    func longName() throws {
        let name = String(repeating: "x", count: 251) + ".mp4"
        let file = try OutputFile.reserve(directory.file(name), overwrites: false, input: "/none")
        try Files.write("whole", to: file.partialPath)
        try file.commit()
        #expect(directory.names == [name])
    }

    @Test("a name that was taken in the meantime is not replaced", arguments: [true, false])
    func taken(overwrites: Bool) throws {
        let file = try OutputFile.reserve(path, overwrites: overwrites, input: "/none")
        try Files.write("new", to: file.partialPath)
        try Files.write("somebody else's", to: path)
        #expect(code { () throws(TranscodeError) in try file.commit() } == (overwrites ? nil : "output.exists"))
        #expect(directory.names == ["out.mp4"])
        #expect(try Files.read(path) == Array((overwrites ? "new" : "somebody else's").utf8))
    }

    @Test(
        "a place that cannot be written in is told before any work",
        arguments: [
            ("none/out.mp4", "output.notFound"), ("file/out.mp4", "output.notFound"),
        ])
    func places(name: String, expected: String) throws {
        try Files.write("", to: directory.file("file"))
        #expect(
            code { () throws(TranscodeError) in
                _ = try OutputFile.reserve(directory.file(name), overwrites: false, input: "/none")
            }
                == expected)
        #expect(directory.names == ["file"])
    }

    @Test(
        "a system's refusal has a code of its own",
        arguments: [
            (Int32(28), "output.noSpace"), (122, "output.noSpace"), (13, "output.permission"),
            (30, "output.permission"),
            (17, "output.exists"), (2, "output.notFound"), (5, "output.write"),
        ])
    func codes(error: Int32, code: String) { #expect(OutputFile.failure("x", error).code == code) }
}
