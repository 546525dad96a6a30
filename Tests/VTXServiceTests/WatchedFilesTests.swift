import Glibc
import Testing
import VTXJSON
import VTXJobs
import VTXStore
import VTXSystem

@testable import VTXService

@Suite("The files that watch folders have taken")
struct WatchedFilesTests {
    private let directory: TestDirectory
    private let store: SQLiteStore
    private let files: WatchedFiles
    private static let stamp = FileSettling.Stamp(byteCount: 4, modifiedAt: 1)
    private static let taken = Timestamp(seconds: 100)

    init() throws {
        directory = try TestDirectory()
        _ = directory.makeDirectory("media")
        store = try SQLiteStore(path: directory.file("vtx.db"))
        files = WatchedFiles(records: store, outputs: LocalOutputs(records: store))
    }

    private func take(_ names: [String], in folder: String = "one") throws {
        for name in names { try files.add(directory.file(name), Self.stamp, in: folder, submitted: Self.taken) }
    }

    private func known(_ folder: String = "one") throws -> [String] {
        try store.records(RecordCollections.watched, prefix: folder + "\n").map {
            $0.name.replacing("\(folder)\n\(directory.path)/", with: "")
        }
    }

    private func clean(before seconds: Double = 101) throws {
        try files.forgetGone(below: directory.path, in: "one", before: Timestamp(seconds: seconds))
    }

    @Test("those that are gone are forgotten, once their jobs are")
    func gone() throws {
        try directory.write("clip", to: "media/there.mp4")
        try take(["media/gone.mp4", "media/there.mp4", "none/deep/gone.mp4"])
        try take(["media/gone.mp4"], in: "one2")
        try clean(before: 100)
        #expect(try known() == ["media/gone.mp4", "media/there.mp4", "none/deep/gone.mp4"])
        try clean()
        #expect(try known() == ["media/there.mp4"])
        #expect(try known("one2") == ["media/gone.mp4"])
    }

    @Test("those of a disk that is not mounted are not forgotten")
    func unmounted() throws {
        try take(["media/gone.mp4", "media/deep/gone.mp4"])
        try clean()
        #expect(try known() == ["media/deep/gone.mp4", "media/gone.mp4"])
    }

    @Test("those of a removed folder are forgotten, and jobs from before then are not its successor's")
    func removed() throws {
        try take(["media/1.mp4"])
        try take(["media/1.mp4"], in: "one2")
        try files.forget("one", at: Timestamp(seconds: 200))
        #expect(try known().isEmpty && known("one2") == ["media/1.mp4"])
        let path = directory.file("media/1.mp4")
        #expect(try files.lastSubmission(path, in: "one") == Timestamp(seconds: 200))
        #expect(try files.lastSubmission(path, in: "one2") == Self.taken)
        // A folder that has taken nothing leaves nothing.
        try files.forget("two", at: Timestamp(seconds: 200))
        #expect(try files.lastSubmission(path, in: "two") == nil)
    }
}
