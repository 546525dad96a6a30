import Glibc
import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXCapture

@Suite("Standard output of a recording")
struct CapturePipeTests {
    private let directory: TemporaryDirectory
    private let notices = Locked<[NoticeKind]>([])

    init() throws { directory = try TemporaryDirectory() }

    /// Records frames of a fake camera into a descriptor, and maybe into files.
    private func record(
        _ camera: [FakeCamera.Event], into number: Int32, as format: Container? = nil, and more: [String] = []
    ) throws -> TranscodeResult {
        var request = CaptureRequest()
        (request.outputs, request.format, request.duration) = (["-"] + more.map(directory.file), format, 30)
        let job = CaptureJob(request, SoftwareEncoders(), SoftwareDecoders(), Cancellation()) { [notices] event in
            if case .transcode(.notice(let notice)) = event { notices.withLock { $0.append(notice.kind) } }
        }
        return try job.run(FakeCamera(camera), try request.openPipe(number))
    }

    private let frames: [FakeCamera.Event] = [.picture(0), .picture(0.1), .picture(0.2), .picture(100)]

    @Test("every container has all frames", arguments: CaptureRequest.formats.filter { $0 != .h265 })
    func containers(_ container: Container) throws {
        let pipe = try Pipe()
        // The writing end must be closed before the reading one.
        let writing = try FileDescriptor(duplicating: pipe.writing.number).release()
        let reading = pipe.takeReading()
        let number = reading.number
        let path = directory.file("out.\(container.fileExtensions[0])")
        let reader = try Thread("reader") {
            var bytes: [UInt8] = []
            while let part = try? FileDescriptor.read(upTo: 1 << 16, from: number), !part.isEmpty { bytes += part }
            try? Files.write(bytes, to: path)
        }
        let result = try record(frames, into: writing, as: container)
        close(writing)
        reader.join()
        close(reading.release())
        #expect(result.frames == 3 && result.notices.isEmpty && result.bytes > 0)
        #expect(try Decoded(path).frames.count == 3)
    }

    private func packet() throws -> CapturePacket {
        CapturePacket(
            packet: try Packet(bytes: [1], pts: 0, dts: 0, duration: 1, timeBase: CaptureTimeline.timeBase),
            parameters: try CodecParameters(video: .h264, size: PixelSize(16, 16), extradata: [1, 2]),
            format: CaptureStreamFormat(codec: .h264, frameRate: 30, color: .bt709, usesGlobalHeader: false))
    }

    @Test("a closed reader ends this output, and never the program")
    func closed() throws {
        // The default effect of the signal ends the process.
        signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, SIG_IGN) }
        let writing = try Pipe().takeWriting()
        let failures = Locked<[ErrorKind]>([])
        let writer = try CaptureWriter("-", CapturePipe(.h264, descriptor: writing.number), .live) { error in
            failures.withLock { $0.append(error.kind) }
        }
        writer.put(try packet())
        while writer.failure == nil { usleep(10_000) }
        writer.end()
        writer.join()
        #expect(failures.withLock(\.self) == [.outputReader])
    }

    @Test("a reader that ends with the recording is no failure")
    func ended() throws {
        let writing = try Pipe().takeWriting()
        let pipe = try CapturePipe(.h264, descriptor: writing.number)
        pipe.limitWaiting()
        signal(SIGPIPE, SIG_IGN)
        try pipe.write(try packet())
        try pipe.write(try packet())
        try pipe.finish()
    }

    @Test("a reader that reads nothing is not waited for at the end")
    func stalled() throws {
        let pipe = try Pipe()
        pipe.writing.makeNonBlocking()
        while write(pipe.writing.number, [UInt8](repeating: 0, count: 4096), 4096) > 0 {}
        let error = #expect(throws: TranscodeError.self) {
            try record(frames, into: pipe.writing.number, and: ["kept.mkv"])
        }
        #expect(error?.kind == .outputReader && error?.message.contains("accepts no data") == true)
        #expect(try Decoded(directory.file("kept.mkv")).frames.count == 3)
    }

    private static let refused: [([String], Container?, ErrorKind)] = [
        (["-"], .webm, .outputExtension), (["out.mp4"], .ts, .needsOption), (["-", "-"], nil, .outputExtension),
        (["-", "out.h264"], .h265, .outputCodec),
    ]

    @Test("the container is that of standard output, and one that can be recorded", arguments: refused)
    func format(_ outputs: [String], _ format: Container?, _ kind: ErrorKind) throws {
        var request = CaptureRequest()
        (request.outputs, request.format) = (outputs, format)
        #expect(#expect(throws: TranscodeError.self) { try request.destinations() }?.kind == kind)
    }

    @Test("it is a live output, in Matroska by default")
    func live() throws {
        var request = CaptureRequest()
        request.outputs = ["-", "out.mp4"]
        #expect(try request.destinations().map(\.kind) == [.standardOutput(.mkv), .file(.mp4)])
        request.format = .h265
        #expect(try request.neededCodec() == .hevc)
    }

    @Test("its maximum bit rate is the requested one; the network also has a default")
    func maximum() throws {
        let format = FakeCamera([]).format
        func maximum(_ output: String, _ bitrate: Int?) throws -> Int? {
            var request = CaptureRequest()
            (request.outputs, request.bitrate) = ([output, "out.mp4"], bitrate)
            return try request.maxLiveBitrate(of: format, .h264)
        }
        #expect(try maximum("-", 1_000_000) == 1_000_000)
        #expect(try maximum("-", nil) == nil)
        #expect(try maximum("rtmp://host/app/key", 1_000_000) == 1_000_000)
        let usual = AdaptiveBitrate.defaultMaximum(format.size, format.frameRate, .h264)
        #expect(try maximum("rtmp://host/app/key", nil) == usual)
        #expect(try maximum("copy.mkv", 1_000_000) == nil)
    }
}
