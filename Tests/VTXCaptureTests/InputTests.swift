import Glibc
import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXCapture

/// Files as consecutive connections of an input; nil is a refused connection.
private final class FileOpener: InputOpener {
    let name = "'the input'"
    let isNetwork: Bool
    private let paths: Locked<[String?]>

    init(_ paths: [String?], isNetwork: Bool = true) {
        (self.paths, self.isNetwork) = (Locked(paths), isNetwork)
    }

    func open(within seconds: Double?) throws(TranscodeError) -> InputConnection {
        let path = paths.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let path, let demuxer = try? Demuxer(path: path) else {
            throw TranscodeError(.inputConnection, "refused")
        }
        return try InputConnection(demuxer, name: name, takesAudio: true, SoftwareDecoders())
    }

    func stop() {}
}

/// Bytes that end in an error.
private final class BrokenBytes: ByteSource {
    private let bytes: Locked<ArraySlice<UInt8>>

    init(_ bytes: [UInt8]) { self.bytes = Locked(bytes[...]) }

    func read(into target: inout MutableRawSpan) throws(VTXSystem.SystemError) -> Int {
        let part = bytes.withLock { bytes in
            defer { bytes = bytes.dropFirst(target.byteCount) }
            return Array(bytes.prefix(target.byteCount))
        }
        guard !part.isEmpty else { throw VTXSystem.SystemError("read", ECONNRESET) }
        for (offset, byte) in part.enumerated() { target.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self) }
        return part.count
    }
}

@Suite("Live inputs")
struct InputTests {
    private let directory: TemporaryDirectory
    private let notices = Locked<[NoticeKind]>([])
    /// Advances by a tenth of a second on each read.
    private let clock = Locked(1000.0)

    init() throws { directory = try TemporaryDirectory() }

    private func now() -> Double {
        clock.withLock { time in
            time += 0.1; return time
        }
    }

    /// A second of video and audio that begins at 5 s, in MPEG-TS.
    private func stream(audio: AudioRecipe = .mp2) throws -> String {
        let path = directory.file("input.ts")
        try MovieRecipe(VideoRecipe(), audio) { $0.startSeconds = 5 }.write(to: path)
        return path
    }

    private func source(
        _ opener: FileOpener, reconnect: Double = 5, _ deinterlacing: CaptureDeinterlacing = .auto
    ) throws -> InputSource {
        var request = CaptureRequest()
        (request.input, request.reconnectSeconds, request.deinterlacing) = ("udp://:1", reconnect, deinterlacing)
        return try InputSource(
            opener, request, report: { [notices] notice in notices.withLock { $0.append(notice.kind) } },
            now: { [clock] in
                clock.withLock { time in
                    time += 0.1; return time
                }
            })
    }

    /// The times of all frames and audio packets.
    private func read(_ source: InputSource) throws -> (pictures: [Double], audio: [Double]) {
        var (pictures, audio): ([Double], [Double]) = ([], [])
        while !source.hasEnded {
            let picture = try source.next(within: 0.001)
            if case .frame = picture?.content { pictures.append(picture?.time.seconds ?? 0) }
            audio += source.takeAudio().compactMap { $0.presentationTime?.seconds }
        }
        return (pictures, audio)
    }

    @Test("frames and AAC have the input's times, from the arrival of its first packet on")
    func times() throws {
        let source = try source(FileOpener([stream()]), reconnect: 0)
        let (pictures, audio) = try read(source)
        #expect(pictures.count == 25 && source.format.size.width > 0 && source.audio?.parameters.codecName == "aac")
        let steps = zip(pictures, pictures.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { abs($0 - 0.04) < 0.001 } && abs((pictures.first ?? 0) - 1000) < 1)
        #expect(abs((audio.last ?? 0) - (pictures.last ?? 0)) < 0.1 && audio.count > 40)
        #expect(notices.withLock(\.self).isEmpty)
    }

    @Test("AAC is copied without its ADTS headers", arguments: ["ts", "mp4", "mkv"])
    func copying(_ pathExtension: String) throws {
        let path = directory.file("input.\(pathExtension)")
        try MovieRecipe(VideoRecipe(), .aac).write(to: path)
        let source = try source(FileOpener([path]), reconnect: 0)
        #expect(source.audio?.isCopied == true && source.audio?.timeBase == Rational(1, 48_000))
        // LC, 48 kHz, two channels.
        #expect(source.audio.map { Array($0.parameters.extradata.prefix(2)) } == [0x11, 0x90])
        var packets: [Packet] = []
        while !source.hasEnded {
            _ = try source.next(within: 0.001)
            packets += source.takeAudio()
        }
        let demuxer = try Demuxer(path: path)
        let audio = try #require(demuxer.streams.first { $0.kind == .audio })
        var frames: [[UInt8]] = []
        while let packet = try demuxer.read() {
            guard packet.streamIndex == audio.index else { continue }
            frames.append(Array(packet.bytes.dropFirst(pathExtension == "ts" ? 7 : 0)))
        }
        #expect(packets.map { Array($0.bytes) } == frames && frames.count > 40)
        let times = packets.compactMap(\.pts)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 1024 })
    }

    @Test("after a reconnect AAC continues: copied if it is the same, else converted")
    func copyingOn() throws {
        let paths = try [AudioRecipe.aac, .aac, AudioRecipe { $0.sampleRate = 44_100 }, .mp2].enumerated().map {
            let path = directory.file("input\($0).ts")
            try MovieRecipe(VideoRecipe(), $1).write(to: path)
            return path
        }
        let source = try source(FileOpener(paths))
        var (times, connections): ([Double], Int) = ([], 0)
        #expect(throws: TranscodeError.self) {
            while true {
                _ = try source.next(within: 0.001)
                times += source.takeAudio().compactMap { $0.presentationTime?.seconds }
                connections = notices.withLock { $0.count }
            }
        }
        #expect(connections == 7 && times == times.sorted() && Set(times).count == times.count)
        // All four connections' audio is present, with gaps if copied.
        #expect(times.count > 150)
    }

    @Test("frames of a byte stream have its rate")
    func byteStream() throws {
        let path = directory.file("input.h264")
        try MovieRecipe(VideoRecipe { $0.bFrames = 2 }).write(to: path)
        let (pictures, _) = try read(try source(FileOpener([path]), reconnect: 0))
        #expect(pictures.count == 25 && abs((pictures.last ?? 0) - (pictures.first ?? 0) - 0.96) < 0.001)
    }

    @Test("a lost input is reconnected, and its times continue by the clock")
    func reconnection() throws {
        let path = try stream()
        let source = try source(FileOpener([path, nil, path]))
        var pictures: [Double] = []
        let error = #expect(throws: TranscodeError.self) {
            while true {
                if let time = try source.next(within: 0.001)?.time.seconds { pictures.append(time) }
            }
        }
        #expect(error?.kind == .inputLost && error?.message.contains("refused") == true)
        #expect(pictures.count == 50 && pictures == pictures.sorted())
        #expect(pictures[25] - pictures[24] > 0.5)
        // Lost, reconnected, and lost again.
        #expect(notices.withLock(\.self) == [.captureInput, .captureInput, .captureInput])
    }

    @Test(
        "fields are deinterlaced if signaled, always, or never",
        arguments: CaptureDeinterlacing.allCases)
    func interlaced(_ deinterlacing: CaptureDeinterlacing) throws {
        let path = directory.file("fields.ts")
        let recipe = VideoRecipe {
            $0.filters = "tinterlace=interleave_top"
            $0.options = [("preset", "veryfast"), ("flags", "+ildct+ilme")]
            $0.frameCount = 12
        }
        try MovieRecipe(recipe) { $0.startSeconds = 5 }.write(to: path)
        let source = try source(FileOpener([path]), reconnect: 0, deinterlacing)
        var frames: [Frame] = []
        while !source.hasEnded {
            if case .frame(let frame) = try source.next(within: 0.001)?.content { frames.append(frame) }
        }
        let isField = deinterlacing == .field
        #expect(frames.count == (isField ? 24 : 12) && source.format.frameRate == (isField ? 50 : 25))
        #expect(frames.allSatisfy { $0.isInterlaced == (deinterlacing == .off) })
        #expect(source.format.isInterlaced == (deinterlacing == .off))
        #expect(notices.withLock(\.self) == (deinterlacing == .off ? [] : [.captureFormat]))
        let times = frames.compactMap { $0.presentationTime?.seconds }
        #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - (isField ? 0.02 : 0.04)) < 0.001 })
    }

    @Test("a changed frame size is reported once")
    func otherSize() throws {
        let path = directory.file("small.ts")
        try MovieRecipe(VideoRecipe { $0.size = PixelSize(128, 96) }).write(to: path)
        let source = try source(FileOpener([stream(), path]), reconnect: 5)
        var count = 0
        while count < 50 { if case .frame = try source.next(within: 0.001)?.content { count += 1 } }
        #expect(notices.withLock(\.self) == [.captureInput, .captureInput, .captureFormat])
    }

    @Test("another rotation after a reconnect is reported once")
    func otherRotation() throws {
        let path = directory.file("rotated.mp4")
        try MovieRecipe(VideoRecipe { $0.displayMatrix = DisplayMatrix([0, 65536, 0, -65536, 0, 0, 0, 0, 1 << 30]) })
            .write(to: path)
        let source = try source(FileOpener([stream(), path]), reconnect: 5)
        var count = 0
        while count < 50 { if case .frame = try source.next(within: 0.001)?.content { count += 1 } }
        #expect(notices.withLock(\.self) == [.captureInput, .captureInput, .captureFormat])
    }

    @Test("after a stop the frames in the decoder follow, and then the input has ended", arguments: [true, false])
    func stopped(isNetwork: Bool) throws {
        let source = try source(FileOpener([stream()], isNetwork: isNetwork))
        while try source.next(within: 0.001) == nil {}
        // All frames of a file are due.
        clock.withLock { $0 += 10 }
        source.stop()
        #expect(try read(source).pictures.count == 24 && notices.withLock(\.self).isEmpty)
    }

    @Test("everything received before an input is lost is recorded, including frames in the decoder")
    func cutOff() throws {
        let path = directory.file("cut.ts")
        try MovieRecipe(VideoRecipe { $0.bFrames = 3 }).write(to: path)
        let bytes = try Files.read(path)
        let source = try Demuxer(live: BrokenBytes(bytes), formats: ["mpegts"], frameRate: nil)
        let connection = try InputConnection(source, name: "'it'", takesAudio: false, SoftwareDecoders())
        var count = 0
        let error = #expect(throws: FFmpegError.self) {
            while case .picture = try connection.next() { count += 1 }
        }
        #expect(count == 25 && error?.call == "av_read_frame")
    }

    @Test("an input that cannot be connected at the start is an error at once")
    func refusal() throws {
        let error = #expect(throws: TranscodeError.self) { _ = try source(FileOpener([nil])) }
        #expect(error?.kind == .inputConnection)
    }

    @Test(
        "a recording has the input's audio, in each container",
        arguments: ["mp4", "mkv", "ts", "m3u8"])
    func recording(_ pathExtension: String) throws {
        var request = CaptureRequest()
        request.outputs = [directory.file("out.\(pathExtension)")]
        // Frames arrive before their time, and so wait for a slow encoder.
        clock.withLock { $0 = 10_000_000 }
        let job = CaptureJob(request, SoftwareEncoders(), SoftwareDecoders(), Cancellation()) { _ in }
        let result = try job.run(try source(FileOpener([stream()], isNetwork: false), reconnect: 0))
        #expect(result.frames == 25 && result.notices.isEmpty)
        var path = request.outputs[0]
        if pathExtension == "m3u8" {
            let files = directory.names.filter { $0.hasPrefix("out-") }.sorted {
                $0.hasSuffix("mp4") && !$1.hasSuffix("mp4")
            }
            path = directory.file("all.mp4")
            try Files.write(files.flatMap { try Files.read(directory.file($0)) }, to: path)
        }
        let file = try MediaFile(path)
        #expect(file.streams(.audio).map(\.codecName) == ["aac"])
        let (video, audio) = (file.times(.video), file.times(.audio))
        #expect(video.count == 25 && audio.count > 40)
        // The audio begins and ends with the video.
        #expect(abs((audio.first ?? 9) - (video.first ?? 0)) < 0.05 && abs((audio.last ?? 9) - (video.last ?? 0)) < 0.1)
    }

    @Test("the test input has video and a tone at the same times")
    func testInput() throws {
        let source = try TestInput(size: PixelSize(64, 48), frameRate: 1000, hasAudio: true)
        source.start()
        var (last, audio) = (0.0, [Double]())
        let beginning = try #require(try source.next(within: 1)).time.seconds
        while last < beginning + 0.1 {
            last = try source.next(within: 1)?.time.seconds ?? last
            audio += source.takeAudio().compactMap { $0.presentationTime?.seconds }
        }
        #expect(abs((audio.last ?? 9) - last) < 0.1 && source.audio != nil)
        #expect(try TestInput(size: PixelSize(64, 48), frameRate: 30, hasAudio: false).audio == nil)
    }

    @Test(
        "an input's URL selects its protocol",
        arguments: [
            "rtmp://host/live/key", "rtsp://user:word@host:554/stream", "udp://:5000", "udp://239.0.0.1:5000",
            "srt://:9000",
        ])
    func url(text: String) throws {
        guard case .network(let url) = try CaptureInput(text) else {
            Issue.record("it is not a network input")
            return
        }
        #expect(text.hasPrefix(url.scheme))
        #expect(try CaptureInput("test:") == .test)
        #expect(try CaptureInput("-") == .standardInput)
        #expect(try CaptureInput("in.ts") == .file("in.ts"))
    }

    @Test(
        "an invalid input is refused with the allowed forms",
        arguments: [
            "http://host/a.ts", "udp://host", "rtmp://", "rtsp://", "srt://host", "file:///etc/passwd",
        ])
    func noURL(text: String) {
        let error = #expect(throws: TranscodeError.self) { try CaptureInput(text) }
        #expect(error?.kind == .inputProtocol && error?.hint?.contains("udp://") == true)
    }

    @Test("a size and a rate are only for cameras and the test pattern")
    func shape() {
        var request = CaptureRequest()
        (request.input, request.size) = ("udp://:5000", PixelSize(640, 480))
        let error = #expect(throws: TranscodeError.self) {
            _ = try request.openSource(SoftwareDecoders(), Cancellation()) { _ in }
        }
        #expect(error?.kind == .conflict)
    }
}
