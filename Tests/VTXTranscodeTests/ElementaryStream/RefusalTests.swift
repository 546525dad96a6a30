import Glibc
import Testing
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("Inputs that extract and mux refuse")
struct CopyRefusalTests {
    private let directory: TemporaryDirectory
    private let stream: String

    init() throws {
        directory = try TemporaryDirectory()
        stream = directory.file("in.h264")
        try Files.write(try ByteStreamRecipe.h264.make().bytes, to: stream)
    }

    private func failure(_ body: () throws(TranscodeError) -> TranscodeResult) -> TranscodeError? {
        do throws(TranscodeError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    private func mux(_ name: String, _ change: (inout MuxJob) -> Void = { _ in }) -> TranscodeError? {
        var job = MuxJob(input: stream, output: directory.file(name))
        job.frameRate = Rational(25, 1)
        change(&job)
        return failure { () throws(TranscodeError) in try job.run(Cancellation()) }
    }

    @Test func `a stream that is a container already, or none`() throws {
        #expect(mux("out.mp4") == nil)
        let container = directory.file("out.mp4")
        #expect(mux("other.mp4") { $0.input = container }?.code == "input.container")
        let job = ExtractJob(input: stream)
        #expect(failure { () throws(TranscodeError) in try job.run(Cancellation()) }?.code == "input.byteStream")
        try Files.write("no video at all", to: directory.file("words.h264"))
        #expect(mux("other.mp4") { $0.input = self.directory.file("words.h264") }?.category == .input)
    }

    @Test func `names that are taken, or say nothing`() throws {
        try Files.write("mine", to: directory.file("out.mp4"))
        #expect(mux("out.mp4")?.code == "output.exists")
        var job = MuxJob(input: stream, output: directory.file("out.mp4"))
        (job.frameRate, job.overwrite) = (Rational(25, 1), .skip)
        #expect(try job.run(Cancellation()).outcome == .skipped)
        #expect(try Files.read(directory.file("out.mp4")) == Array("mine".utf8))
        #expect(mux("out.h264")?.code == "output.extension")
        #expect(mux("out.h264")?.message.hasSuffix("is an H.264 byte stream, not a container") == true)
        #expect(mux("out.doc")?.category == .usage)
        #expect(mux("out.doc")?.message == "'.doc' is not a container that vtx writes")
        #expect(mux("out")?.message.hasSuffix("has no extension to choose a container by") == true)
    }

    @Test func `the source itself, by whatever name`() throws {
        let other = directory.file("link.mp4")
        #expect(link(stream, other) == 0)
        #expect(mux("link.mp4") { $0.overwrite = .replace }?.code == "output.isInput")
    }

    @Test func `the other codec's extension`() throws {
        #expect(mux("out.mp4") == nil)
        var job = ExtractJob(input: directory.file("out.mp4"))
        job.output = directory.file("out.h265")
        let error = failure { () throws(TranscodeError) in try job.run(Cancellation()) }
        #expect(error?.code == "output.foreignCodec" && error?.category == .unsupported)
    }

    @Test func `a stream that is cut off at its beginning`() throws {
        let bytes = try Files.read(stream)
        try Files.write(Array(bytes.dropFirst(bytes.count / 2)), to: directory.file("cut.h264"))
        #expect(mux("out.mp4") { $0.input = self.directory.file("cut.h264") }?.category == .input)
        #expect(!directory.names.contains { $0.hasPrefix("out") || $0.hasSuffix("partial") })
    }

    @Test func `a cancelled job leaves nothing`() throws {
        let cancellation = Cancellation()
        cancellation.cancel(.interrupted)
        var job = MuxJob(input: stream, output: directory.file("out.mp4"))
        job.frameRate = Rational(25, 1)
        let error = failure { () throws(TranscodeError) in try job.run(cancellation) }
        #expect(error?.category == .interrupted)
        #expect(directory.names == ["in.h264"])
    }

    @Test func `a container that ends early gives what it has, and says so`() throws {
        #expect(mux("whole.mp4") == nil)
        try Files.truncate(directory.file("whole.mp4"), to: 0.6, as: directory.file("half.mp4"))
        let result = try ExtractJob(input: directory.file("half.mp4")).run(Cancellation())
        #expect(result.outcome == .incompleteSource)
        let (whole, half) = (try Files.read(stream), try Files.read(directory.file("half.h264")))
        #expect(half.count > 100 && whole.starts(with: half))
    }
}
