import Glibc
import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXCapture

/// x264, without a choice.
struct SoftwareEncoders: CaptureEncoderOpener {
    var profile = VideoProfile.high
    /// nil for that of the format.
    var color: ColorDescription?

    func open(
        _ format: CaptureFormat, codec: VideoCodec? = nil, usesGlobalHeader: Bool, maxBitrate: Int? = nil
    ) throws(TranscodeError) -> CaptureEncoder {
        var configuration = EncoderConfiguration(
            codec: .h264, profile: profile, size: format.size, pixelFormat: .i420, timeBase: CaptureEncoder.timeBase,
            frameRate: format.frameRate, color: color ?? format.encodedColor, rateControl: .quality(.standard),
            preset: .fast,
            maxKeyFrameInterval: 20, allowsFrameReordering: false, usesGlobalHeader: usesGlobalHeader)
        configuration.isRealTime = true
        do throws(SessionError) {
            let session = try SoftwareBackend().openSession(on: SoftwareBackend.device)
            return CaptureEncoder(
                try session.makeEncoder(configuration), codec: .h264, format: format, deviceName: "software",
                isHardware: false)
        } catch { throw TranscodeError(encoding: error) }
    }
}

/// libavcodec's, without a choice.
struct SoftwareDecoders: CaptureDecoderOpener {
    func open(_ stream: InputStream) throws(SessionError) -> (decoder: any VideoDecoder, deviceName: String) {
        let session = try SoftwareBackend().openSession(on: SoftwareBackend.device)
        return (try session.makeDecoder(DecoderConfiguration(stream: stream)), "software")
    }
}

@Suite("Recording")
struct CaptureJobTests {
    private let directory: TemporaryDirectory
    private let events = Locked<[WorkerEvent]>([])

    init() throws { directory = try TemporaryDirectory() }

    /// Records at most half a minute, and no more frames than the queue holds: a fake camera outruns any encoder.
    private func record(
        _ camera: [FakeCamera.Event], to name: String = "out.mp4", and more: [String] = [],
        codecName: String? = nil, onEvent: @escaping @Sendable () -> Void = {}
    ) throws -> TranscodeResult {
        var request = CaptureRequest()
        (request.outputs, request.duration) = (([name] + more).map(directory.file), 30)
        let job = CaptureJob(request, SoftwareEncoders(), SoftwareDecoders(), Cancellation()) { event in
            events.withLock { $0.append(event) }
        }
        return try job.run(FakeCamera(camera, codecName: codecName, onEvent: onEvent))
    }

    private var unplugged: FakeCamera.Event { .failure(TranscodeError(.cameraUnplugged, "the camera was unplugged")) }

    @Test("every container has all frames, at their times", arguments: [Container.mp4, .mov, .mkv, .ts])
    func containers(_ container: Container) throws {
        let name = "out.\(container.fileExtensions[0])"
        let result = try record(
            [.picture(7), .picture(7.1), .picture(7.5), .picture(8), .picture(9), .picture(100)], to: name)
        #expect(result.outcome == .completed && result.frames == 5 && result.notices.isEmpty)
        let times = try MediaFile(directory.file(name)).times(.video).sorted()
        let first = try #require(times.first)
        #expect(times.map { (($0 - first) * 100).rounded() / 100 } == [0, 0.1, 0.5, 1, 2])
        #expect(try Decoded(directory.file(name)).frames.count == 5)
    }

    @Test("a byte stream has parameter sets in it")
    func byteStream() throws {
        _ = try record([.picture(0), .picture(0.1), .picture(100)], to: "out.h264")
        #expect(try Decoded(directory.file("out.h264")).frames.count == 2)
    }

    @Test("an unplugged camera leaves a complete file, and the error gives its length")
    func unplug() throws {
        let error = try #require(throws: TranscodeError.self) {
            try record([.picture(0), .picture(0.1), .damaged(0.2), .picture(0.3, missing: 2), unplugged])
        }
        #expect(error.kind == .cameraUnplugged && error.message.contains("3 frames are in"))
        #expect(try Decoded(directory.file("out.mp4")).frames.count == 3)
        let notices = events.withLock(\.self).compactMap { event -> NoticeKind? in
            if case .transcode(.notice(let notice)) = event { notice.kind } else { nil }
        }
        #expect(notices == [.captureDropped, .captureDamaged])
    }

    @Test("without a frame, no file is left")
    func nothing() throws {
        let error = try #require(throws: TranscodeError.self) { try record([unplugged]) }
        #expect(error.kind == .cameraUnplugged && error.message.contains("nothing was recorded"))
        #expect(directory.names.isEmpty)
    }

    @Test("the recording's settings are reported before the first frame")
    func description() throws {
        _ = try record([.picture(0), .picture(100)])
        guard case .capturing(let description)? = events.withLock({ $0.first }) else {
            Issue.record("it is not the first")
            return
        }
        #expect(description.size == FakeCamera.size && description.codec == .h264 && !description.usesHardware)
    }

    @Test("an existing output is kept")
    func exists() throws {
        _ = try record([.picture(0), .picture(100)])
        let error = try #require(throws: TranscodeError.self) { try record([.picture(0), .picture(100)]) }
        #expect(error.kind == .outputExists)
        #expect(try Decoded(directory.file("out.mp4")).frames.count == 1)
    }

    @Test("several outputs share one encoding, each with the parameter sets where it needs them")
    func several() throws {
        let names = ["out.mp4", "out.mkv", "out.ts", "out.h264"]
        let result = try record(
            [.picture(0), .picture(0.1), .picture(0.2), .picture(100)], to: names[0], and: Array(names[1...]))
        #expect(result.frames == 3 && result.notices.isEmpty)
        for name in names { #expect(try Decoded(directory.file(name)).frames.count == 3, "\(name)") }
    }

    @Test("a failed output does not end the others; the error is reported at once, and again at the end")
    func oneFails() throws {
        let lost = directory.file("lost.mp4")
        let error = try #require(throws: TranscodeError.self) {
            try record(
                [.picture(0), .picture(0.1), .picture(100)], to: "lost.mp4", and: ["kept.mkv"],
                onEvent: { unlink(lost) })
        }
        #expect(error.kind == .outputWrite && error.message.contains("lost.mp4"))
        #expect(try Decoded(directory.file("kept.mkv")).frames.count == 2)
        let notices = events.withLock(\.self).compactMap { event -> NoticeKind? in
            if case .transcode(.notice(let notice)) = event { notice.kind } else { nil }
        }
        #expect(notices == [.captureOutput])
    }

    @Test("if one output cannot be opened, the others leave nothing")
    func oneCannotBeOpened() throws {
        let error = try #require(throws: TranscodeError.self) {
            try record([.picture(0), .picture(100)], to: "out.mp4", and: ["none/out.mp4"])
        }
        #expect(error.kind == .outputNotFound && directory.names.isEmpty)
    }

    @Test("colors known only from the first frame are the recording's")
    func colors() throws {
        let camera = FakeCamera([.picture(0)])
        var request = CaptureRequest()
        request.outputs = [directory.file("out.mp4")]
        let recorder = try CaptureRecorder.open(request, camera.format, SoftwareEncoders(), pipe: nil) { _ in }
        let picture = try #require(try camera.next(within: 1))
        let item = CaptureReader.Item(picture: picture, ticks: 0)
        let frame = try #require(try CaptureDecoder(camera.format).frames(of: item).first)
        frame.color = ColorDescription(primaries: 6, transfer: 6, matrix: 6, isFullRange: false)
        try recorder.record(frame)
        try recorder.finish()
        let color = try #require(try Decoded(directory.file("out.mp4")).frames.first).color
        #expect(color.matrix == 6 && color.primaries == 6 && color.transfer == 6)
    }

    @Test("an encoder that takes over brings its own parameter sets")
    func replacement() throws {
        let camera = FakeCamera([.picture(0), .picture(1)])
        let output = try CaptureWriter(
            "out.mp4", CaptureFile(directory.file("out.mp4"), .mp4, replaces: false), .file)
        for (index, profile) in [VideoProfile.high, .baseline].enumerated() {
            let encoder = try SoftwareEncoders(profile: profile).open(camera.format, usesGlobalHeader: true)
            let recorder = CaptureRecorder(
                camera.format, encoder, usesGlobalHeader: true, [output])
            let picture = try #require(try camera.next(within: 1))
            let item = CaptureReader.Item(picture: picture, ticks: Int64(index) * 90_000)
            try recorder.record(try #require(try CaptureDecoder(camera.format).frames(of: item).first))
        }
        output.end()
        output.join()
        #expect(output.failure == nil)
        #expect(try Decoded(directory.file("out.mp4")).frames.count == 2)
    }
}
