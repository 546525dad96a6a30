import Testing
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

@Suite("Errors of the libraries")
struct ErrorTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "a status has a kind",
        arguments: [
            (Int32(-28), FFmpegError.Kind.noSpace), (-122, .noSpace), (-27, .noSpace), (-13, .permission),
            (-1, .permission), (-30, .permission), (-2, .notFound), (-20, .notFound), (-12, .outOfResources),
            (-11, .other), (-38, .notSupported), (-5, .other), (-22, .other),
        ])
    func kinds(status: Int32, kind: FFmpegError.Kind) { #expect(FFmpegError("call", status).kind == kind) }

    @Test("a codec that cannot create its threads is out of resources")
    func threads() { #expect(FFmpegError("avcodec_open2", -11).kind == .outOfResources) }

    @Test("the message has the library's words and the call")
    func description() {
        #expect(FFmpegError("avio_open", -2).description == "No such file or directory (avio_open)")
    }

    @Test("a missing file, and one that is not media")
    func opening() throws {
        #expect(openingFailure(directory.file("none"))?.kind == .notFound)
        let text = directory.file("text.mp4")
        try Files.write("this is not a clip, whatever its name says", to: text)
        #expect(openingFailure(text)?.kind == .invalidData)
        #expect(openingFailure(text)?.call == "avformat_open_input")
    }

    private func openingFailure(_ path: String) -> FFmpegError? {
        do throws(FFmpegError) {
            _ = try Demuxer(path: path)
            return nil
        } catch {
            return error
        }
    }

    @Test("a playlist opens only files, not even its own entries")
    func otherProtocols() throws {
        let (clip, list) = (directory.file("clip.ts"), directory.file("list.m3u8"))
        try MovieRecipe(VideoRecipe()).write(to: clip)
        let inside = "data:video/mp2t;base64," + base64(try Files.read(clip))
        for (source, opens) in [(clip, true), (inside, false)] {
            try Files.write("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(source)\n#EXT-X-ENDLIST\n", to: list)
            #expect(((try? Demuxer(path: list))?.streams.count == 1) == opens)
        }
    }

    private func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return stride(from: 0, to: bytes.count, by: 3).map { start in
            let group = Array(bytes[start..<min(start + 3, bytes.count)])
            let bits = (group + [0, 0]).prefix(3).reduce(0) { $0 << 8 | Int($1) }
            let text = [18, 12, 6, 0].map { letters[bits >> $0 & 63] }
            return String(text.prefix(group.count + 1)) + String(repeating: "=", count: 3 - group.count)
        }.joined()
    }

    @Test("an encoder that is not in this build")
    func noEncoder() {
        let error = #expect(throws: FFmpegError.self) {
            try EncoderContext(
                video: VideoEncoderSettings(
                    codecName: "no_such_encoder", size: PixelSize(16, 16),
                    pixelFormat: .planar(.yuv420, bitDepth: 8), timeBase: Rational(1, 25),
                    frameRate: Rational(25, 1), maxKeyFrameInterval: 1, usesGlobalHeader: false))
        }
        #expect(error?.kind == .noEncoder)
        #expect(!EncoderContext.exists("no_such_encoder") && EncoderContext.exists("libx264"))
    }

    @Test("unknown encoder options are reported")
    func unknownOptions() throws {
        var settings = VideoEncoderSettings(
            codecName: "libx264", size: PixelSize(32, 32), pixelFormat: .planar(.yuv420, bitDepth: 8),
            timeBase: Rational(1, 25), frameRate: Rational(25, 1), maxKeyFrameInterval: 1,
            usesGlobalHeader: false)
        settings.options = [("preset", "ultrafast"), ("no_such_option", "1")]
        #expect(try EncoderContext(video: settings).unknownOptions == ["no_such_option"])
        #expect(
            EncoderContext.hasOption("preset", of: "libx264") && !EncoderContext.hasOption("x", of: "libx264")
        )
    }

    @Test("a filter that does not exist is an error, not a crash")
    func filters() {
        #expect(throws: FFmpegError.self) { try FilterGraph(generating: "no_such_filter=1") }
        #expect(throws: FFmpegError.self) { try FilterGraph(generating: "testsrc2=size=-1x5") }
    }
}
