import Glibc
import Testing
import VTXMedia
import VTXSystem

@testable import VTXCommand

@Suite("Several inputs")
final class BatchPlanTests {
    private let directory: String

    init() throws { directory = try Directory.makeTemporary("vtx-batch") }

    deinit { Directory.removeTree(directory) }

    private func make(_ names: String...) throws {
        for name in names {
            let path = "\(directory)/\(name)"
            try Directory.make(FileName.directory(of: path).directory)
            _ = try FileDescriptor(opening: path, O_WRONLY | O_CREAT)
        }
    }

    private func names(_ inputs: String..., to output: String = "out") throws -> [String] {
        let plan = try BatchPlan(inputs.map { "\(directory)/\($0)" }, to: "\(directory)/\(output)")
        return plan.items.map { "\($0.input) \($0.output)".replacing(directory + "/", with: "") }
    }

    @Test("each file goes into the directory, in a container of its own kind or MP4, in the order of the inputs")
    func files() throws {
        try make("b/two.mkv", "a/one.MOV", "three.avi", "raw.h264")
        #expect(
            try names("b/two.mkv", "a/one.MOV", "three.avi", "raw.h264", "missing.ts") == [
                "b/two.mkv out/two.mkv", "a/one.MOV out/one.MOV", "three.avi out/three.mp4", "raw.h264 out/raw.mp4",
                "missing.ts out/missing.ts",
            ])
    }

    @Test("inputs are replaced under their own names, or as MP4 where their container is not written")
    func replacing() throws {
        try make("in/a.MKV", "in/deep/b.avi", "in/notes.txt")
        let plan = try BatchPlan(replacing: ["\(directory)/in"])
        let names = plan.items.map { "\($0.input) \($0.output)".replacing(directory + "/", with: "") }
        #expect(names == ["in/a.MKV in/a.MKV", "in/deep/b.avi in/deep/b.mp4"] && plan.replacesInputs)
    }

    @Test("a name that is no file may have been meant as an output, so nothing is replaced")
    func missingInput() throws {
        try make("a.mkv")
        #expect(throws: UsageError.self) {
            try BatchPlan(replacing: ["\(directory)/a.mkv", "\(directory)/out.mkv"])
        }
    }

    @Test("of two files the second may have been meant as an output, so neither is replaced")
    func twoFiles() throws {
        try make("a.mkv", "b.mkv", "c.mkv", "d/e.mkv")
        func count(_ names: String...) throws -> Int {
            try BatchPlan(replacing: names.map { "\(directory)/\($0)" }).items.count
        }
        #expect(throws: UsageError.self) { try count("a.mkv", "b.mkv") }
        #expect(try count("a.mkv", "b.mkv", "c.mkv") == 3)
        #expect(try count("a.mkv", "d") == 2)
    }

    @Test("a file is replaced once, and not by the links in a directory")
    func once() throws {
        try make("in/a.mkv", "in/deep/b.mkv", "outside.mkv")
        try #require(symlink("a.mkv", "\(directory)/in/link.mkv") == 0)
        try #require(symlink("../outside.mkv", "\(directory)/in/outside.mkv") == 0)
        try #require(symlink("a.mkv", "\(directory)/in/named") == 0)
        let inputs = ["in", "in/a.mkv", "in/deep/../a.mkv", "in/named", "in/deep"].map { "\(directory)/\($0)" }
        let names = try BatchPlan(replacing: inputs).items.map { $0.input.replacing(directory + "/", with: "") }
        #expect(names == ["in/a.mkv", "in/deep/b.mkv"])
        #expect(try self.names("in").count == 4, "an output of its own may come of a link")
    }

    @Test("options about one source are refused", arguments: ["--receipt=r", "--add-audio=a", "--add-subtitles=s"])
    func singles(option: String) throws {
        try make("in/a.mkv")
        let settings = try settings("\(directory)/in", "--replace", option)
        #expect(throws: UsageError.self) { try settings.batch() }
        #expect(throws: UsageError.self) { try self.settings("a.mkv", "--output-dir=o", option) }
    }

    @Test("a container that does not hold the codec becomes MP4")
    func codecs() throws {
        try make("a.mov", "b.webm", "c.mkv")
        func kept(_ codec: VideoCodec?) throws -> [String] {
            try BatchPlan([directory], to: "\(directory)/out", codec: codec).items.map {
                FileName.split($0.output).pathExtension
            }
        }
        #expect(try kept(.av1) == ["mp4", "webm", "mkv"])
        #expect(try kept(nil) == ["mov", "mp4", "mkv"])
    }

    @Test("all videos of a directory keep their subfolders; the output directory is excluded")
    func directories() throws {
        try make("in/b.mp4", "in/a.mkv", "in/deep/er/c.TS", "in/notes.txt", "in/.hidden.mp4", "in/out/old.mp4")
        for input in ["in", "in/"] {
            #expect(
                try names(input, to: "in/out") == [
                    "in/a.mkv in/out/a.mkv", "in/b.mp4 in/out/b.mp4", "in/deep/er/c.TS in/out/deep/er/c.TS",
                ])
        }
    }

    @Test("inputs that differ only in their extensions keep them")
    func extensions() throws {
        try make("clip.avi", "clip.mp4", "clip.ts", "other.avi")
        #expect(
            try names("clip.avi", "clip.mp4", "clip.ts", "other.avi") == [
                "clip.avi out/clip.avi.mp4", "clip.mp4 out/clip.mp4.mp4", "clip.ts out/clip.ts",
                "other.avi out/other.mp4",
            ])
    }

    @Test("two inputs with the same output are an error, and so is a directory without videos")
    func errors() throws {
        try make("a/clip.avi", "b/clip.avi", "c/notes.txt")
        #expect(throws: UsageError.self) { try names("a/clip.avi", "b/clip.avi") }
        #expect(throws: UsageError.self) { try names("c") }
    }

    private func settings(_ arguments: String...) throws -> TranscodeSettings {
        try #require(try ArgumentParser.parse(arguments, by: .transcode)).checked()
    }

    @Test("with an output directory all arguments are inputs, and the options are kept")
    func arguments() throws {
        let settings = try settings("a.mp4", "-y", "b.mp4", "--size", "x90", "--output-dir=o", "--", "-c.mp4", "d.mp4")
        let plan = try #require(try settings.batch())
        #expect(plan.items.map(\.input) == ["a.mp4", "b.mp4", "-c.mp4", "d.mp4"])
        #expect(plan.items.map(\.output) == ["o/a.mp4", "o/b.mp4", "o/-c.mp4", "o/d.mp4"])
        #expect(settings.optionArguments == ["--overwrite", "--size=x90", "--output-dir=o"])
    }

    @Test("without an output directory there is one input")
    func single() throws {
        #expect(try settings("a.mp4", "b.mp4").batch() == nil)
        #expect(throws: UsageError.unexpectedInput("c.mp4")) { try settings("a.mp4", "b.mp4", "c.mp4").batch() }
    }
}
