import Glibc
import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Refused outputs")
struct OutputRefusalTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("a directory without write permission", .enabled(if: geteuid() != 0, "the superuser may write everywhere"))
    func unwritable() throws {
        let input = try directory.clip()
        let locked = directory.file("locked")
        mkdir(locked, 0o500)
        let error = Run.failure(input, to: locked + "/out.mp4")
        #expect(error?.category == .output && error?.code == "output.permission")
    }

    @Test("a read-only file system")
    func readOnly() throws {
        let error = Run.failure(try directory.clip(), to: "/proc/vtx-test-out.mp4")
        #expect(error?.category == .output)
        #expect(directory.names == ["in.mkv"])
    }

    enum Alias: String, CaseIterable, Sendable {
        case same
        case dotted
        case symbolicLink
        case hardLink
    }

    @Test("the output is never the input, under any name", arguments: Alias.allCases)
    func inputIsOutput(alias: Alias) throws {
        let input = try directory.clip()
        let bytes = try Files.read(input)
        let output: String
        switch alias {
        case .same: output = input
        case .dotted: output = directory.path + "/./in.mkv"
        case .symbolicLink:
            output = directory.file("other.mkv")
            symlink(input, output)
        case .hardLink:
            output = directory.file("other.mkv")
            link(input, output)
        }
        let error = Run.failure(input, to: output) { $0.overwrite = .replace }
        #expect(error?.category == .usage && error?.code == "output.isInput")
        #expect(try Files.read(input) == bytes)
    }

    @Test("an existing output is refused, kept or replaced")
    func existing() throws {
        let (input, output) = (try directory.clip(), directory.file("out.mkv"))
        try Files.write("precious", to: output)
        #expect(Run.failure(input, to: output)?.code == "output.exists")
        #expect(try Files.read(output) == Array("precious".utf8))
        var request = TranscodeRequest(input: input, output: output)
        request.overwrite = .skip
        let skipped = try Run.result(request)
        #expect(skipped.outcome == .skipped)
        #expect(try Files.read(output) == Array("precious".utf8))
        _ = try Run.transcode(input, to: output) { $0.overwrite = .replace }
        #expect(try Decoded(output).frames.count == 5)
        #expect(directory.names == ["in.mkv", "out.mkv"])
    }

    struct BadOutput: Sendable, CustomTestStringConvertible {
        var path: String
        var category: ErrorKind.Category
        var code: String
        var testDescription: String { path }

        static let all = [
            BadOutput(path: "none/out.mp4", category: .output, code: "output.notFound"),
            BadOutput(path: "in.mkv/out.mp4", category: .output, code: "output.notFound"),
            BadOutput(path: "out.avi", category: .usage, code: "output.extension"),
            BadOutput(path: "out", category: .usage, code: "output.extension"),
            BadOutput(path: "out.h265", category: .usage, code: "output.codec"),
        ]
    }

    @Test("invalid outputs", arguments: BadOutput.all)
    func outputs(bad: BadOutput) throws {
        let error = Run.failure(try directory.clip(), to: directory.file(bad.path))
        #expect(error?.category == bad.category && error?.code == bad.code)
        #expect(directory.names == ["in.mkv"])
    }

    @Test("a directory or a FIFO is not an output", arguments: ["out.mkv", "out"], OverwritePolicy.allCases)
    func specialOutputs(name: String, overwrite: OverwritePolicy) throws {
        for isDirectory in [true, false] {
            let output = directory.file(name)
            if isDirectory { mkdir(output, 0o700) } else { mkfifo(output, 0o600) }
            let error = Run.failure(try directory.clip(), to: output) { $0.overwrite = overwrite }
            #expect(error?.category == .output && error?.code == "output.notAFile")
            #expect((error?.hint?.contains("outputDirectory") ?? false) == isDirectory)
            #expect(directory.names == ["in.mkv", name])
            remove(output)
        }
    }
}
