import Glibc
import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Refused sources, and their leftovers")
struct RefusalTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("a second view is lost, which --no-downgrade refuses", arguments: ["mp4", "mkv"])
    func layers(pathExtension: String) throws {
        let (input, output) = (directory.file("in.\(pathExtension)"), directory.file("out.mkv"))
        try LayeredMovie().write(to: input)
        #expect(try Run.transcode(input, to: output).messages("downgrade.layers").count == 1)
        let failure = Run.failure(input, to: directory.file("no.mkv")) { $0.forbidsDowngrades = true }
        #expect(failure?.category == .unsupported && failure?.code == "downgrade.layers")
    }

    struct BadInput: Sendable, CustomTestStringConvertible {
        var name: String
        var code: String
        var make: @Sendable (String) throws -> Void
        var testDescription: String { name }

        static let all = [
            BadInput(name: "nothing", code: "input.notFound") { _ in },
            BadInput(name: "an empty file", code: "input.empty") { try Files.write([], to: $0) },
            BadInput(name: "a text", code: "input.notMedia") {
                try Files.write(String(repeating: "words, not a clip\n", count: 200), to: $0)
            },
            BadInput(name: "garbage", code: "input.notMedia") { path in
                var random = SeededRandom(7)
                try Files.write((0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }, to: path)
            },
            BadInput(name: "zeros", code: "input.notMedia") {
                try Files.write([UInt8](repeating: 0, count: 9999), to: $0)
            },
            BadInput(name: "a directory", code: "input.notAFile") {
                guard mkdir($0, 0o700) == 0 else { throw SystemError("mkdir") }
            },
            BadInput(name: "a FIFO", code: "input.notAFile") {
                guard mkfifo($0, 0o600) == 0 else { throw SystemError("mkfifo") }
            },
            BadInput(name: "a dangling link", code: "input.notFound") { symlink("/nowhere/at/all", $0) },
            BadInput(name: "audio alone", code: "input.noVideo") {
                try MovieRecipe { $0.audio = [.aac] }.write(to: $0)
            },
            BadInput(name: "no frames", code: "input.noFrames") { path in
                try MovieRecipe(VideoRecipe { $0.times = [] }).write(to: path)
            },
            BadInput(name: "an MP4 without its fragments", code: "input.noFrames") { path in
                try MovieRecipe(VideoRecipe()) { $0.muxerOptions = [("movflags", "frag_keyframe+empty_moov")] }
                    .write(to: path)
                let boxes = BoxWalk.topLevel(try Files.read(path), until: "moof")
                try Files.write(boxes, to: path)
            },
            BadInput(name: "an MP4 cut before its index", code: "input.noIndex") { path in
                try MovieRecipe(VideoRecipe()).write(to: path)
                try Files.truncate(path, to: 0.5, as: path)
            },
            BadInput(name: "a playlist", code: "input.notMedia") {
                try Files.write("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/hostname\n#EXT-X-ENDLIST\n", to: $0)
            },
        ]
    }

    @Test("inputs that are not video", arguments: BadInput.all)
    func inputs(bad: BadInput) throws {
        let input = directory.file("in.mp4")
        try bad.make(input)
        let before = directory.names
        let error = Run.failure(input, to: directory.file("out.mp4"))
        #expect(error?.category == .input)
        #expect(error?.code == bad.code)
        #expect(error?.message.contains(input) == true, "the message names the file")
        #expect(directory.names == before)
    }

    @Test("a box with a wrong length is named, without a truncation notice")
    func hiddenIndex() throws {
        let input = directory.file("in.mp4")
        for isCut in [false, true] {
            try MovieRecipe(VideoRecipe()).write(to: input)
            let whole = try Files.read(input)
            let media = BoxWalk.topLevel(whole, until: "mdat").count
            var bytes = isCut ? BoxWalk.topLevel(whole, until: "moov") : whole
            if !isCut { bytes[media] = 1 }
            try Files.write(bytes, to: input)
            let error = Run.failure(input, to: directory.file("out.mp4"))
            #expect(error?.code == "input.noIndex" && error?.message.contains("byte \(media) ") == !isCut)
            #expect(error?.message.contains("'moov' box at byte") == !isCut)
        }
    }

    @Test("an index inside an oversized box is found")
    func swallowedIndex() throws {
        let input = directory.file("in.mp4")
        try MovieRecipe(VideoRecipe()).write(to: input)
        let whole = try Files.read(input)
        let (media, index) = (
            BoxWalk.topLevel(whole, until: "mdat").count, BoxWalk.topLevel(whole, until: "moov").count
        )
        var bytes = whole
        for place in 0..<4 { bytes[media + place] = UInt8((whole.count - media) >> (24 - 8 * place) & 0xff) }
        try Files.write(bytes, to: input)
        let error = Run.failure(input, to: directory.file("out.mp4"))
        #expect(error?.code == "input.noIndex" && error?.message.contains("byte \(index))") == true)
    }

    @Test("encrypted video is reported as encrypted; other encrypted streams are dropped")
    func encrypted() throws {
        let input = directory.file("in.mp4")
        try MovieRecipe(VideoRecipe(), .aac) {
            $0.muxerOptions = [
                ("encryption_scheme", "cenc-aes-ctr"), ("encryption_key", String(repeating: "7", count: 32)),
                ("encryption_kid", String(repeating: "a", count: 32)),
            ]
        }.write(to: input)
        let error = Run.failure(input, to: directory.file("out.mp4"))
        #expect(error?.category == .unsupported && error?.code == "input.encrypted")
    }

    @Test("a track without its description has an unknown codec")
    func undescribed() throws {
        let input = directory.file("in.mp4")
        try MovieRecipe(VideoRecipe()).write(to: input)
        let bytes = try Files.read(input)
        let text = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("stsd".utf8)) })
        try Files.write(Array(bytes[..<text]) + Array("skip".utf8) + Array(bytes[(text + 4)...]), to: input)
        let error = Run.failure(input, to: directory.file("out.mp4"))
        #expect(error?.code == "input.codec" && error?.message.contains("unknown codec") == true)
    }

    @Test("a start after the last frame is an error")
    func lateStart() throws {
        let error = Run.failure(try directory.clip(), to: directory.file("out.mp4")) { $0.start = 60 }
        #expect(error?.code == "range.empty" && error?.message.contains("beyond the last frame") == true)
    }

    @Test("an input without read permission", .enabled(if: geteuid() != 0, "the superuser may read everything"))
    func unreadable() throws {
        let input = try directory.clip()
        chmod(input, 0)
        let error = Run.failure(input, to: directory.file("out.mp4"))
        #expect(error?.category == .input && error?.code == "input.permission")
    }

    @Test("a profile of another codec is refused")
    func foreignProfile() throws {
        let error = Run.failure(try directory.clip(), to: directory.file("out.mkv")) { $0.profile = .main10 }
        #expect(error?.category == .usage && error?.code == "profile")
    }

    @Test("a size that no encoder supports is refused")
    func hugeSize() throws {
        let error = Run.failure(try directory.clip(), to: directory.file("out.mkv")) {
            $0.size = SizeRequest(32768, 16)
        }
        #expect(error?.category == .unsupported && error?.code == "size")
        #expect(directory.names == ["in.mkv"])
    }

    @Test("required hardware that is missing has its own error")
    func requiredHardware() throws {
        let error = Run.failure(try directory.clip(), to: directory.file("out.mkv")) {
            $0.hardware = .require
            $0.device = .path("/dev/dri/no-such-node")
        }
        #expect(error?.category == .hardware)
    }

    @Test("a killed run's partial file is replaced")
    func leftOver() throws {
        let (input, output) = (try directory.clip(), directory.file("out.mkv"))
        try Files.write([UInt8](repeating: 1, count: 1_000_000), to: directory.file(".out.mkv.vtx-partial"))
        _ = try Run.transcode(input, to: output)
        #expect(directory.names == ["in.mkv", "out.mkv"])
        #expect(try Decoded(output).frames.count == 5)
    }

    @Test(
        "names may have spaces, quotes, colons and other scripts",
        arguments: ["a b", "a'b", "a:b", "%03d", "日本", "-a"])
    func names(name: String) throws {
        let (input, output) = (try directory.clip("\(name).mkv"), directory.file("\(name).mp4"))
        _ = try Run.transcode(input, to: output)
        #expect(try Decoded(output).frames.count == 5)
    }
}
