import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("A transcode in segments")
struct ParallelTests {
    /// Thirty seconds, with a key frame every two, of which every fifth can begin a segment.
    private func clip(_ pathExtension: String, _ change: (inout VideoRecipe) -> Void = { _ in }) throws -> String {
        let path = "\(directory.path)/in.\(pathExtension)"
        var video = VideoRecipe {
            ($0.frameRate, $0.frameCount, $0.keyFrameInterval) = (10, 300, 20)
            $0.options = [("preset", "veryfast"), ("x264-params", "open-gop=1:bframes=3:b-pyramid=normal:scenecut=0")]
        }
        change(&video)
        var audio: AudioRecipe = pathExtension == "avi" ? .pcm : .aac
        audio.seconds = Double(video.frameCount) / video.frameRate.value
        try MovieRecipe(video, audio).write(to: path)
        return path
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func transcode(
        _ input: String, to name: String, lanes: Int, _ change: (inout TranscodeRequest) -> Void = { _ in }
    ) throws -> (result: TranscodeResult, path: String, segments: Int) {
        var request = TranscodeRequest(input: input, output: directory.file(name))
        (request.codec, request.preset, request.parallelism) = (.h264, .fast, .count(lanes))
        request.verification = .full
        change(&request)
        let planned = Locked(0)
        let result = try TranscodeJob(request, backends: [SoftwareBackend()], cancellation: Cancellation()) { event in
            if case .planned(let plan) = event { planned.withLock { $0 = plan.video.parallelism } }
        }.run()
        return (result, request.output ?? "", planned.withLock { $0 })
    }

    /// Frames, times, streams and audio equal a single run's, and the pictures match.
    private func check(
        _ input: String, in pathExtension: String, lanes: Int = 3, _ change: (inout TranscodeRequest) -> Void = { _ in }
    ) throws {
        let single = try transcode(input, to: "single.\(pathExtension)", lanes: 1, change)
        let parallel = try transcode(input, to: "parallel.\(pathExtension)", lanes: lanes, change)
        #expect(single.segments == 1 && parallel.segments > 1)
        #expect(parallel.result.frames == single.result.frames)
        #expect(parallel.result.notices.map(\.code) == single.result.notices.map(\.code))
        let (one, many) = (try MediaFile(single.path), try MediaFile(parallel.path))
        #expect(many.streams.map(\.codecName) == one.streams.map(\.codecName))
        #expect(many.packets(.audio) == one.packets(.audio))
        #expect(many.times(.video) == one.times(.video))
        // Matroska has no decoding times; derived ones depend on the order of B frames.
        if pathExtension != "mkv" { #expect(many.packets(.video).map(\.dts) == one.packets(.video).map(\.dts)) }
        #expect(
            many.packets(.video).map(\.duration.seconds).sorted()
                == one.packets(.video).map(\.duration.seconds).sorted())
        try comparePictures(single.path, parallel.path)
    }

    private func comparePictures(_ one: String, _ other: String) throws {
        let (one, other) = (try Decoded(one), try Decoded(other))
        #expect(other.errors == 0 && other.frames.count == one.frames.count && other.times == one.times)
        let worst = zip(one.frames, other.frames).map { $0.psnr(against: $1) }.min() ?? 0
        #expect(worst > 30)
    }

    @Test("equals a single run's except for the coded pictures", arguments: ["mp4", "mkv", "ts"])
    func containers(pathExtension: String) throws {
        try check(try clip(pathExtension), in: pathExtension)
    }

    @Test("has audio and video interleaved in the file", arguments: ["mkv", "ts"])
    func interleaving(pathExtension: String) throws {
        let output = try transcode(try clip(pathExtension), to: "out.\(pathExtension)", lanes: 3).path
        let demuxer = try Demuxer(path: output)
        var (last, apart): ([Int: Double], Double) = ([:], 0)
        while let packet = try demuxer.read() {
            last[packet.streamIndex] = packet.presentationTime?.seconds
            if last.count == 2, let first = last.values.min(), let second = last.values.max() {
                apart = max(apart, second - first)
            }
        }
        #expect(apart > 0 && apart < 2, "\(apart) s")
    }

    @Test("equals a single run's for HEVC's open GOPs, and as HEVC", arguments: ["mp4", "mkv", "ts"])
    func hevc(pathExtension: String) throws {
        let source = try clip(pathExtension) {
            $0.encoder = "libx265"
            $0.options = [
                ("preset", "ultrafast"),
                ("x265-params", "log-level=error:open-gop=1:bframes=4:b-pyramid=1:keyint=20:min-keyint=20:scenecut=0"),
            ]
        }
        try check(source, in: pathExtension) { ($0.codec, $0.preset) = (.hevc, .fast) }
    }

    @Test("equals a single run's for MPEG-2's open GOPs, and for intra-only video", arguments: ["mpeg2video", "mjpeg"])
    func others(encoder: String) throws {
        let source = try clip(encoder == "mjpeg" ? "avi" : "ts") {
            $0 = .coded(encoder)
            ($0.frameRate, $0.frameCount) = (25, 800)
            if encoder == "mpeg2video" { ($0.keyFrameInterval, $0.bFrames) = (12, 2) }
            if encoder == "mjpeg" { $0.pixelFormat = "yuvj420p" }
        }
        try check(source, in: "mkv", lanes: 2)
    }

    @Test("equals a single run's in fragments, with a cut, with filters, with irregular times", arguments: 0..<4)
    func settings(number: Int) throws {
        let source = try clip("mkv") {
            guard number == 3 else { return }
            $0.timeBase = Rational(1, 1000)
            $0.times = (0..<Int64(300)).map { $0 * 100 + $0 % 3 * 21 }
        }
        let changes: [(inout TranscodeRequest) -> Void] = [
            { $0.isFragmented = true }, { ($0.start, $0.duration) = (1.02, 27) },
            { $0.size = SizeRequest(96, 64) }, { $0.allowsBFrames = false },
        ]
        try check(source, in: "mp4", lanes: 2, changes[number])
    }

    @Test("marks no intact frame as damaged, in lanes with several segments of open GOPs", arguments: [2, 3])
    func undamaged(lanes: Int) throws {
        let source = try clip("mkv") { $0.frameCount = 900 }
        let made = try transcode(source, to: "out.mkv", lanes: lanes)
        #expect(made.result.outcome == .completed && made.result.notices.isEmpty && made.result.frames == 900)
    }

    @Test("has a single run's notices for a damaged source")
    func damaged() throws {
        let path = try clip("ts")
        var bytes = try Files.read(path)
        for offset in stride(from: bytes.count / 4, to: bytes.count, by: bytes.count / 5) { bytes[offset + 50] ^= 0x55 }
        try Files.write(bytes, to: path)
        let single = try transcode(path, to: "single.mkv", lanes: 1)
        let parallel = try transcode(path, to: "parallel.mkv", lanes: 2)
        #expect(parallel.segments == 2 && parallel.result.outcome == single.result.outcome)
        #expect(parallel.result.frames == single.result.frames)
    }

    @Test("uses one pipeline if the source is too short to be cut")
    func short() throws {
        let source = try clip("mp4") { $0.frameCount = 90 }
        #expect(try transcode(source, to: "out.mp4", lanes: 4).segments == 1)
    }

    @Test("encodes the existing segments if key frames are rare without an index")
    func rareKeyFrames() throws {
        let source = try clip("ts") { $0.keyFrameInterval = 1000 }
        let made = try transcode(source, to: "out.mkv", lanes: 2)
        #expect(made.result.frames == 300 && made.segments == 2)
    }

    @Test("ends when cancelled, and leaves nothing", arguments: [1, 2])
    func cancelled(ticks: Int) throws {
        let source = try clip("mkv")
        var request = TranscodeRequest(input: source, output: directory.file("out.mkv"))
        (request.codec, request.preset, request.parallelism) = (.h264, .quality, .count(3))
        let (cancellation, seen) = (Cancellation(), Locked(0))
        #expect(throws: TranscodeError.self) {
            _ = try TranscodeJob(request, backends: [SoftwareBackend()], cancellation: cancellation) { _ in
                let count = seen.withLock { count -> Int in
                    count += 1
                    return count
                }
                if count == ticks { cancellation.cancel(.interrupted) }
            }.run()
        }
        #expect(directory.names == ["in.mkv"])
    }

    @Test("is distributed over GPUs, and each frame is in the output once, in order", arguments: [2, 3, 5])
    func onGPUs(lanes: Int) throws {
        let source = try SourceClip(frames: 300) { $0.frameRate = 5 }
        let gpus = FakeBackend(isHardware: true, devices: ["a": VideoProfile.allCases, "b": VideoProfile.allCases])
        let prepared = try source.plan(with: [gpus]) { $0.parallelism = .count(lanes) }
        let devices = prepared.plan.video.encoding?.laneDevices ?? []
        #expect(devices == (0..<lanes).map { DeviceID($0 % 2 == 0 ? "a" : "b") })
        let opened = prepared.encoding?.otherLanes.map(\.sessions.encoding.capabilities.device) ?? []
        #expect(opened == Array(devices.dropFirst()))
        let (group, sink) = (ThreadGroup(), FakeSink())
        let ledger = OutputLedger(streams: prepared.plan.streams.count)
        TranscodePipeline(prepared, sink: sink, damage: InputErrorReport(), ledger: ledger).start(in: group)
        try group.wait()
        let times = sink.log.withLock { $0.written[prepared.plan.videoIndex] } ?? []
        #expect(times.count == 300 && times == times.sorted() && Set(times).count == 300)
    }

    @Test("a GPU that fails to open for a lane is excluded from the plan, and the others encode")
    func brokenGPU() throws {
        let source = try SourceClip(frames: 300) { $0.frameRate = 5 }
        let good = FakeBackend(isHardware: true, devices: ["a": VideoProfile.allCases])
        let broken = FakeBackend(isHardware: true, devices: ["b": VideoProfile.allCases], fault: .makeEncoder)
        let plan = try source.plan(with: [good, broken, FakeBackend()]) { $0.parallelism = .count(2) }.plan
        #expect(plan.video.encoding?.laneDevices == [DeviceID("a"), DeviceID("a")])
        #expect(plan.notices.map(\.kind) == [.fallbackEncode])
    }

    @Test(
        "a stage that fails in any segment stops all of them",
        arguments: [FakeBackend.Fault.decode(20), .filter(20), .encode(20), .encode(51)])
    func failure(fault: FakeBackend.Fault) throws {
        let source = try SourceClip(frames: 150) { $0.frameRate = 5 }
        let prepared = try source.plan(with: [FakeBackend(fault: fault)]) { $0.parallelism = .count(2) }
        let (group, sink) = (ThreadGroup(), FakeSink())
        let ledger = OutputLedger(streams: prepared.plan.streams.count)
        TranscodePipeline(prepared, sink: sink, damage: InputErrorReport(), ledger: ledger).start(in: group)
        #expect(throws: SessionError.self) { try group.wait() }
        #expect(!sink.log.withLock { $0.isFinished })
    }
}
