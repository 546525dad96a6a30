import Testing
import VTXJobs
import VTXStore
import VTXSystem

@testable import VTXService

@Suite("Files shared by a cluster's hosts")
struct SharedFilesTests {
    private let directory: TestDirectory
    /// The files of a worker, with its own state.
    private let files: JobFiles
    private let shared: String

    init() throws {
        directory = try TestDirectory()
        _ = directory.makeDirectory("media")
        shared = directory.makeDirectory("media/shared")
        let store = try SQLiteStore(path: directory.file("worker.db"))
        let roots = try Roots([directory.file("media")])
        files = JobFiles(roots, Uploads(directory.path, store, limit: 1), state: directory.file("worker"))
    }

    private func job(shared: String, output: JobSpecification.Output? = nil) throws -> Job {
        var specification = JobSpecification(input: .init(upload: "4m5x8k2r7d9w3c6h1j0q"), output: output)
        specification.input.uploadName = "in.mkv"
        specification.shared = shared
        return Job(id: try #require(JobID("0123456789abcdefghjk")), specification, at: Timestamp(milliseconds: 0))
    }

    @Test("workers can read an upload, and every server finds an output")
    func places() throws {
        let job = try job(shared: shared)
        for name in ["uploads", "uploads/4m5x8k2r7d9w3c6h1j0q"] { _ = directory.makeDirectory("media/shared/\(name)") }
        try directory.write("clip", to: "media/shared/uploads/4m5x8k2r7d9w3c6h1j0q/in.mkv")
        let source = try files.source(job.specification.input, shared: shared)
        #expect(TextFile.read(source) == "clip")
        #expect(try files.output(of: job, name: "in.mp4").path == "\(shared)/outputs/0123456789abcdefghjk/in.mp4")
        try files.makeDirectory(of: job)
        #expect(FileStatus("\(shared)/outputs/0123456789abcdefghjk")?.kind == .directory)
        files.discard(job)
        #expect(FileStatus("\(shared)/outputs/0123456789abcdefghjk") == nil)
    }

    @Test("workers share a fetched source, and an output until it is sent to its URL")
    func ofURLs() throws {
        var specification = JobSpecification(
            input: .init(url: "https://box/in.mkv"), output: .init(url: "https://box/out.mkv"))
        specification.shared = shared
        let job = Job(
            id: try #require(JobID("0123456789abcdefghjk")), specification, at: Timestamp(milliseconds: 0))
        let source = try files.makeSourceDirectory(of: job)
        #expect(source == "\(shared)/sources/0123456789abcdefghjk" && FileStatus(source)?.kind == .directory)
        try files.makeDirectory(of: job)
        #expect(try files.output(of: job, name: "x.mp4").path == "\(shared)/outputs/0123456789abcdefghjk/out.mkv")
        files.discard(job)
        #expect(["sources", "outputs"].allSatisfy { Directory.names(in: "\(shared)/\($0)").isEmpty })
    }

    @Test("an output with a path goes there")
    func ownPlace() throws {
        let path = directory.file("media/out.mp4")
        #expect(try files.output(of: try job(shared: shared, output: .init(path: path)), name: "x.mp4").path == path)
    }

    @Test("files of a record outside the roots are neither read nor written nor removed")
    func outside() throws {
        let beyond = directory.makeDirectory("beyond")
        for name in ["outputs", "outputs/0123456789abcdefghjk"] { _ = directory.makeDirectory("beyond/\(name)") }
        for place in [beyond, "\(shared)/../../beyond"] {
            let job = try job(shared: place)
            #expect(throws: Problem.self) { try files.source(job.specification.input, shared: place) }
            #expect(throws: Failure.self) { try files.output(of: job, name: "x.mp4") }
            #expect(throws: Failure.self) { try files.makeDirectory(of: job) }
            var fetched = job.specification
            fetched.input = .init(url: "https://box/in.mkv")
            #expect(throws: Failure.self) {
                try files.makeSourceDirectory(of: Job(id: job.id, fetched, at: job.createdAt))
            }
            files.discard(job)
        }
        #expect(FileStatus("\(beyond)/outputs/0123456789abcdefghjk") != nil)
    }
}
