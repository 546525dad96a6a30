import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTestMedia

@Suite("Frames through codecs and filters")
struct FilteringTests {
    @Test("a filter graph outputs all frames in the new size")
    func scaling() throws {
        let frames = try VideoRecipe { $0.frameCount = 5 }.makeFrames()
        let graph = try FilterGraph(videoLike: frames[0], frameRate: Rational(25, 1), chain: "scale=32:16")
        var scaled: [Frame] = []
        for frame in frames + [nil] {
            try graph.send(frame)
            while case .unit(let out) = try graph.receive() { scaled.append(out) }
        }
        #expect(scaled.map(\.size) == Array(repeating: PixelSize(32, 16), count: 5))
        #expect(scaled.map { $0.presentationTime?.seconds } == [0, 0.04, 0.08, 0.12, 0.16])
        #expect(isEnd(try graph.receive()))
    }

    @Test("a path in a filter chain may have any characters, such as libvmaf's log in TMPDIR")
    func escaping() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a:b 'c' [d], e;f=g\\h.txt")
        let chain = "testsrc=duration=0.1,metadata=mode=add:key=k:value=v,metadata=mode=print:file="
        let graph = try FilterGraph(generating: chain + FilterGraph.escaped(path))
        while case .unit = try graph.receive() {}
        #expect(FileStatus(path) != nil)
    }

    private func isEnd(_ output: CodecOutput<Frame>) -> Bool {
        if case .endOfStream = output { true } else { false }
    }

    @Test("an encoder asks for input first and ends once it is drained")
    func encoderStates() throws {
        var settings = VideoEncoderSettings(
            codecName: "mpeg4", size: PixelSize(160, 96), pixelFormat: .planar(.yuv420, bitDepth: 8),
            timeBase: Rational(1, 25), frameRate: Rational(25, 1), maxKeyFrameInterval: 5,
            usesGlobalHeader: false)
        settings.bitrate = 500_000
        let encoder = try EncoderContext(video: settings)
        if case .needsInput = try encoder.receive() {} else { Issue.record("gave output without input") }
        try encoder.send(try VideoRecipe { $0.frameCount = 1 }.makeFrames()[0])
        try encoder.send(nil)
        try encoder.send(nil)
        var packets = 0
        while case .unit = try encoder.receive() { packets += 1 }
        #expect(packets == 1)
        if case .endOfStream = try encoder.receive() {} else { Issue.record("does not end") }
    }

    @Test("a frame's time is converted to another time base, and stays unset")
    func frameTimes() throws {
        let frame = try Frame(timeBase: Rational(1, 25))
        frame.rescale(to: Rational(1, 100))
        #expect(frame.pts == nil && frame.presentationTime == nil)
        frame.pts = 10
        frame.duration = 4
        frame.rescale(to: Rational(1, 50))
        #expect(frame.pts == 5 && frame.duration == 2 && frame.timeBase == Rational(1, 50))
    }

    @Test(
        "a frame keeps colors",
        arguments: [
            ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false, chromaLocation: 2),
            ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: true, chromaLocation: 0),
            ColorDescription(primaries: 2, transfer: 13, matrix: 0), .unspecified,
        ])
    func colors(color: ColorDescription) throws {
        let frame = try Frame(timeBase: Rational(1, 1))
        frame.color = color
        #expect(frame.color == color)
    }

    @Test(
        "a pixel format is found by its properties",
        arguments: [
            ("yuv420p", ChromaSampling.yuv420, 8), ("yuv422p10le", .yuv422, 10), ("yuv444p", .yuv444, 8),
            ("nv12", .yuv420, 8), ("p010le", .yuv420, 10), ("gray", .monochrome, 8), ("yuv411p", .yuv420, 8),
        ])
    func pixelFormats(name: String, chroma: ChromaSampling, bitDepth: Int) throws {
        let format = try #require(PixelFormat(named: name))
        #expect(format.name == name && format.chroma == chroma && format.bitDepth == bitDepth)
        #expect(!format.isRGB && !format.hasAlpha && !format.impliesFullRange)
    }

    @Test("RGB, transparency and full range are detected")
    func specialFormats() throws {
        #expect(try #require(PixelFormat(named: "rgb24")).isRGB)
        #expect(try #require(PixelFormat(named: "yuva420p")).hasAlpha)
        #expect(try #require(PixelFormat(named: "yuvj422p")).impliesFullRange)
        #expect(PixelFormat(named: "no such format") == nil)
    }

    @Test("deprecated full-range formats become plain formats with full range")
    func fullRange() throws {
        let frame = try VideoRecipe.intra("mjpeg", "yuvj420p").makeFrames()[0]
        let before = frame.planeBytes(0)
        frame.normalizeFullRangeFormat()
        #expect(frame.pixelFormat.name == "yuv420p" && frame.color.isFullRange == true)
        #expect(frame.planeBytes(0) == before)
    }

    @Test("converting a subtitle keeps its text", arguments: ["mov_text", "ass"])
    func subtitles(codec: String) throws {
        let made = try SubtitleRecipe {
            $0.codec = codec
            $0.cues = [.init(0.5, 1, "Grüße"), .init(2, 2.5, "second")]
        }.encode()
        #expect(made.packets.count == 2)
        #expect(made.packets.map { $0.presentationTime?.seconds } == [0.5, 2])
        let text = made.packets.map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(text[0].contains("Grüße") && text[1].contains("second"))
    }

    @Test("the libraries' versions are reported")
    func versions() {
        let libraries = FFmpegVersions.all
        #expect(Set(libraries.map(\.name)).isSuperset(of: ["libavcodec", "libavfilter"]))
        #expect(libraries.dropFirst().allSatisfy { $0.version.split(separator: ".").count == 3 })
    }
}
