import Glibc
import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXCapture

@Suite("A growing file as an input")
struct GrowingFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func read(_ file: GrowingFile) throws(VTXSystem.SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 100)
        var span = bytes.mutableSpan
        var target = span.mutableBytes
        let count = try file.read(into: &target)
        return Array(bytes.prefix(count))
    }

    private func append(_ text: String, to path: String) throws {
        let file = try FileDescriptor(opening: path, O_WRONLY | O_CREAT | O_APPEND)
        try file.writeAll(text)
    }

    @Test("what is appended is read, until nothing has been appended for a time")
    func growth() throws {
        let path = directory.file("growing")
        try append("a", to: path)
        let file = try GrowingFile(path, timeout: 1)
        #expect(try read(file) == Array("a".utf8))
        let writer = try Thread("writer") {
            usleep(300_000)
            try? append("bc", to: path)
        }
        #expect(try read(file) == Array("bc".utf8))
        writer.join()
        let start = MonotonicClock.seconds
        #expect(try read(file).isEmpty && MonotonicClock.seconds - start > 0.9)
        // The end is final.
        try append("d", to: path)
        #expect(try read(file).isEmpty)
    }

    @Test("a wait ends when it is stopped, and there is none without a timeout", arguments: [0, 1000])
    func stopped(timeout: Double) throws {
        let path = directory.file("empty")
        try append("", to: path)
        let file = try GrowingFile(path, timeout: timeout)
        let thread = try Thread("stop") {
            usleep(100_000)
            if timeout > 0 { file.stop() }
        }
        #expect(try read(file).isEmpty)
        thread.join()
    }

    @Test("a limit ends the wait, but not what is there already")
    func limited() throws {
        let path = directory.file("limited")
        try append("a", to: path)
        let file = try GrowingFile(path, timeout: 1000)
        file.end.limit(to: 0.1)
        usleep(200_000)
        #expect(try read(file) == Array("a".utf8) && read(file).isEmpty)
    }

    @Test("what cannot be followed is refused")
    func refusal() throws {
        let missing = #expect(throws: TranscodeError.self) { try GrowingFile(directory.file("none"), timeout: 1) }
        #expect(missing?.kind == .inputNotFound)
        let other = #expect(throws: TranscodeError.self) { try GrowingFile("/dev/null", timeout: 1) }
        #expect(other?.kind == .inputNotAFile)
    }

    @Test("an output that is the input is refused, and unchanged", arguments: [["in.ts"], ["out.mkv", "link.ts"]])
    func isInput(_ outputs: [String]) throws {
        let path = directory.file("in.ts")
        try append("text", to: path)
        symlink(path, directory.file("link.ts"))
        var request = CaptureRequest()
        (request.input, request.outputs, request.overwrite) = (path, outputs.map(directory.file), .replace)
        let error = #expect(throws: TranscodeError.self) {
            try CaptureJob(request, SoftwareEncoders(), SoftwareDecoders(), Cancellation()) { _ in }.run()
        }
        #expect(error?.kind == .outputIsInput)
        #expect(try Files.read(path) == Array("text".utf8))
    }
}
