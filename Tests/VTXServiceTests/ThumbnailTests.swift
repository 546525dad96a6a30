import Glibc
import Testing
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXStore
import VTXSystem

@testable import VTXService

@Suite("Thumbnails of jobs")
struct ThumbnailTests {
    private let directory: TestDirectory
    private let service: TestService

    init() throws {
        directory = try TestDirectory()
        service = try TestService(directory)
        try directory.write("clip", to: "media/in.mp4")
    }

    /// The thumbnails of an ended job, including its source's.
    private func drawn(_ id: String) throws -> [String] {
        _ = try service.ended(id)
        var names: [String] = []
        while names.count < 2 {
            names = try service.ask("GET", "/v1/jobs/\(id)").body["thumbnails"]?.array?.compactMap(\.string) ?? []
        }
        return names
    }

    @Test("a job has thumbnails of its source and its output at the same time")
    func both() throws {
        let id = try service.submit(directory.file("media/in.mp4"), settings: ["start": "1:00"])
        #expect(try drawn(id) == ["source", "output"])
        for which in ["source", "output"] {
            let response = try service.send("GET", "/v1/jobs/\(id)/thumbnails/\(which)")
            #expect(response.status == 200 && response.body == [0xff, 0xd8, 0xff, 0xe0])
            #expect(response.headers["content-type"] == "image/jpeg")
        }
        #expect(service.runner.places.withLock(\.self)["in.mp4"] == 64)
    }

    @Test("other files, large ones and links are not served")
    func strange() throws {
        let id = try service.submit(directory.file("media/in.mp4"))
        _ = try drawn(id)
        let (place, path) = ("/v1/jobs/\(id)/thumbnails/output", "state/thumbnails/\(id)/output.jpg")
        for bytes in ["<html>", "\u{0}", String(repeating: "x", count: 2 << 20)] {
            try directory.write(bytes, to: path)
            #expect(try service.ask("GET", place).status == 404)
        }
        unlink(directory.file(path))
        symlink(directory.file("state/thumbnails/\(id)/source.jpg"), directory.file(path))
        #expect(try service.ask("GET", place).status == 404)
        #expect(try service.ask("GET", "/v1/jobs/\(id)").body["thumbnails"] == ["source"])
        #expect(try service.ask("GET", "/v1/jobs/\(id)/thumbnails/other").status == 404)
    }

    @Test("they are removed with the job")
    func removal() throws {
        let id = try service.submit(directory.file("media/in.mp4"))
        _ = try drawn(id)
        let store = try SQLiteStore(path: directory.file("other.db"))
        let uploads = Uploads(directory.path, store, limit: 1)
        let files = JobFiles(try Roots([directory.path]), uploads, state: directory.file("state"))
        files.remove(try #require(JobID(id)))
        #expect(FileStatus(directory.file("state/thumbnails/\(id)")) == nil)
    }
}
