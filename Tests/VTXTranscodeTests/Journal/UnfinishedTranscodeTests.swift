import Glibc
import Testing
import VTXJournal
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("Leftovers of unfinished transcodes")
struct UnfinishedTranscodeTests {
    private let directory: TemporaryDirectory
    private let plan: TranscodePlan

    init() throws {
        directory = try TemporaryDirectory()
        plan = try SourceClip(audio: nil).plan().plan
    }

    private var path: String { FileName.resolved(directory.path) ?? "" }

    /// A job that was killed.
    private func leave(_ name: String, _ change: (inout JournalRequest) -> Void = { _ in }) throws {
        var (request, plan) = (JournalRequest(), plan)
        (request.command, request.workingDirectory) = (["--h264", "--", "in.mkv", name], directory.path)
        change(&request)
        (plan.input, plan.output) = ("in.mkv", "\(directory.path)/\(name)")
        try Files.write([0], to: directory.file("in.mkv"))
        let header = JournalHeader(
            task: JournaledTask(plan, request), source: try SourceIdentity(of: directory.file("in.mkv")), versions: [:])
        try header.write(to: try JournalDirectory.open(request.path(for: plan.output)))
        try Files.write([0], to: AtomicFile.partialPath(for: plan.output))
    }

    @Test("a journal identifies its output, with any form of the path")
    func whose() throws {
        try leave("../\(FileName.directory(of: directory.path).name)/./out.mp4")
        let found = UnfinishedTranscode.all(in: directory.path)
        #expect(found.map(\.output) == ["\(path)/out.mp4"])
        #expect(found.map(\.input) == ["\(path)/in.mkv"])
        #expect(UnfinishedTranscode.all(below: [directory.path]) == found)
    }

    @Test("in another directory, any form of the output's path finds it", arguments: ["", "./", "../"])
    func spelling(prefix: String) throws {
        let elsewhere = try TemporaryDirectory()
        try leave("out.mp4") { $0.directory = elsewhere.path }
        var request = JournalRequest()
        (request.directory, request.workingDirectory) = (elsewhere.path, directory.path)
        let name = prefix == "../" ? "../\(FileName.directory(of: directory.path).name)/out.mp4" : "\(prefix)out.mp4"
        #expect(try UnfinishedTranscode.find(name, request).command.last == "out.mp4")
    }

    @Test("a directory selects the only one in it")
    func only() throws {
        #expect(throws: TranscodeError.self) { try UnfinishedTranscode.find(directory.path, JournalRequest()) }
        try leave("a.mp4")
        #expect(try UnfinishedTranscode.find(directory.path, JournalRequest()).command.last == "a.mp4")
        try leave("b.mp4")
        let error = #expect(throws: TranscodeError.self) {
            try UnfinishedTranscode.find(directory.path, JournalRequest())
        }
        #expect(error?.message.contains("a.mp4") == true && error?.message.contains("b.mp4") == true)
    }

    @Test("a copied journal does not finish the original output")
    func copied() throws {
        try leave("out.mp4")
        let copy = try TemporaryDirectory()
        for name in directory.names where name.hasSuffix(JournalRequest.suffix) {
            try Directory.make(copy.file(name))
            for file in Directory.names(in: directory.file(name)) {
                try Files.write(try Files.read(directory.file("\(name)/\(file)")), to: copy.file("\(name)/\(file)"))
            }
        }
        #expect(try UnfinishedTranscode.find(directory.file("out.mp4"), JournalRequest()).isResumable)
        let error = #expect(throws: TranscodeError.self) {
            try UnfinishedTranscode.find(copy.file("out.mp4"), JournalRequest())
        }
        #expect(error?.kind == .journalNone && error?.message.contains("\(path)/out.mp4") == true)
    }

    @Test("a partial file without a journal is found and removed, unless it is being written")
    func partial() throws {
        try Files.write([1, 2], to: directory.file(".left.mp4.vtx-partial"))
        let written = try AtomicFile.reserve(directory.file("written.mp4"), replaces: false)
        let found = UnfinishedTranscode.all(below: [directory.path])
        #expect(found.map(\.byteCount) == [2] && found.allSatisfy { !$0.isResumable })
        found.forEach { $0.remove() }
        #expect(directory.names == [".written.mp4.vtx-partial"])
        written.discard()
    }

    @Test("a partial directory is found and removed, unless it has other files")
    func partialDirectory() throws {
        for name in [".out.vtx-partial", ".mine.vtx-partial", ".old.replaced.vtx-partial"] {
            try Directory.make(directory.file(name))
            try Files.write([1, 2], to: directory.file("\(name)/720p.mp4"))
            try Files.write([3], to: directory.file("\(name)/.480p.mp4.vtx-partial"))
        }
        try Directory.make(directory.file(".mine.vtx-partial/photos"))
        let found = UnfinishedTranscode.all(below: [directory.path])
        #expect(found.map(\.byteCount) == [3] && found.allSatisfy { !$0.isResumable })
        let contents = AtomicDirectory.Contents(marks: ["a.m3u8"], extensions: ["m3u8", "mp4"])
        let written = try AtomicDirectory.reserve(
            directory.file("out"), replaces: false, source: nil, contents)
        found.forEach { $0.remove() }
        #expect(directory.names.contains(".out.vtx-partial"))
        withExtendedLifetime(written) { written.discard() }
        try Directory.make(directory.file(".out.vtx-partial"))
        found.forEach { $0.remove() }
        #expect(directory.names == [".mine.vtx-partial", ".old.replaced.vtx-partial"])
    }

    @Test("subdirectories are searched, but not through links; a journal elsewhere owns its partial file")
    func below() throws {
        try Directory.make(directory.file("a/b"))
        try #require(symlink(directory.path, directory.file("a/link")) == 0)
        try leave("out.mp4") { $0.directory = "\(path)/a/b" }
        #expect(UnfinishedTranscode.all(below: [directory.path]).map(\.output) == ["\(path)/out.mp4"])
    }

    @Test("removing one also removes the partial file")
    func remove() throws {
        try leave("out.mp4")
        UnfinishedTranscode.all(in: directory.path).forEach { $0.remove() }
        #expect(directory.names == ["in.mkv"])
    }
}
