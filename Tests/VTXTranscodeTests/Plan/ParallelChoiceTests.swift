import Testing
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("The number of parallel segments")
struct ParallelChoiceTests {
    private static let gigabyte: Int64 = 1 << 30

    private func choose(
        _ request: ParallelRequest, cores: Int, memory: Int64 = 64 * gigabyte,
        _ change: (inout ParallelChoice.Work) -> Void = { _ in }
    ) -> ParallelChoice {
        var work = ParallelChoice.Work(codec: .h264, size: PixelSize(854, 480), segments: 1000)
        change(&work)
        return ParallelChoice.choose(request, work, on: Machine(cores: cores, memory: memory))
    }

    @Test(
        "the requested number, sharing all cores",
        arguments: [(2, 4, 2), (4, 4, 1), (3, 4, 2), (8, 4, 1)])
    func count(lanes: Int, cores: Int, threads: Int) {
        let choice = choose(.count(lanes), cores: cores)
        #expect(choice.lanes == lanes && choice.threads == threads)
    }

    @Test("one leaves the threads to the encoder", arguments: [1, 4, 8])
    func one(cores: Int) {
        let choice = choose(.count(1), cores: cores)
        #expect(choice.lanes == 1 && choice.threads == nil)
    }

    @Test(
        "one encoder if it keeps all cores busy, with more frame threads than its default on two or three cores",
        arguments: [(1, nil, nil), (2, 6, 2), (3, 6, 3)] as [(Int, Int?, Int?)])
    func oneForAllCores(cores: Int, h264: Int?, hevc: Int?) {
        for request in [ParallelRequest.auto, .standard] {
            #expect(choose(request, cores: cores).lanes == 1 && choose(request, cores: cores).threads == h264)
            #expect(choose(request, cores: cores) { $0.codec = .hevc }.threads == hevc)
            let large = choose(request, cores: 8) { $0.size = PixelSize(1920, 1080) }
            #expect(large.lanes == 1 && large.threads == nil)
        }
    }

    @Test("x264 has its default frame threads if motion vectors would be too short", arguments: [320, 478])
    func few(lines: Int) {
        for request in [ParallelRequest.auto, .standard] {
            let choice = choose(request, cores: 2) { $0.size = PixelSize(640, lines) }
            #expect(choice.lanes == 1 && choice.threads == nil)
        }
        #expect(choose(.auto, cores: 2) { ($0.codec, $0.size) = (.hevc, PixelSize(640, lines)) }.threads == 2)
    }

    @Test("one encoder for all cores needs no key frames and no quality; not for GPUs, AV1 and renditions")
    func uncut() {
        let choice = choose(.auto, cores: 2) { ($0.segments, $0.obstacle) = (1, "a bit rate is kept") }
        #expect(choice.lanes == 1 && choice.threads == 6)
        #expect(choose(.auto, cores: 2) { $0.gpus = [DeviceID("a")] }.lanes == 2)
        #expect(choose(.standard, cores: 2) { $0.isRendition = true }.threads == nil)
        let av1 = choose(.auto, cores: 2) { ($0.codec, $0.obstacle) = (.av1, "SVT-AV1") }
        #expect(av1 == ParallelChoice(reason: "SVT-AV1"))
    }

    @Test("twice the threads in a short video, for the remaining lanes at its end", arguments: [2, 15, 16])
    func short(segments: Int) {
        let choice = choose(.count(2), cores: 4) { $0.segments = segments }
        #expect(choice.lanes == 2 && choice.threads == (segments < 16 ? 4 : 2))
        #expect(choose(.count(2), cores: 1) { $0.segments = segments }.threads == 1)
    }

    @Test("fewer, with more threads each, if memory is low")
    func memory() {
        let choice = choose(.auto, cores: 64) { $0.size = PixelSize(3840, 2160) }
        #expect((2..<64).contains(choice.lanes) && choice.lanes * (choice.threads ?? 0) >= 64)
        #expect(choose(.auto, cores: 8, memory: 1 << 20).lanes == 1)
    }

    @Test(
        "the table in docs/benchmarks.md, with 2 GB per core: lanes and threads at 480p, 1080p and 2160p",
        arguments: [
            (4, [2, 1, 1], [2, nil, nil]), (8, [3, 1, 1], [3, nil, nil]), (16, [6, 2, 1], [3, 8, nil]),
            (64, [22, 8, 4], [3, 8, 16]),
        ] as [(Int, [Int], [Int?])])
    func table(cores: Int, lanes: [Int], threads: [Int?]) {
        for (number, size) in [PixelSize(854, 480), PixelSize(1920, 1080), PixelSize(3840, 2160)].enumerated() {
            for codec in [VideoCodec.h264, .hevc] {
                let choice = choose(.auto, cores: cores, memory: Int64(cores) * 2 * Self.gigabyte) {
                    ($0.codec, $0.size) = (codec, size)
                }
                #expect(choice.lanes == lanes[number] && choice.threads == threads[number])
            }
        }
    }

    @Test("no more than there are segments")
    func segments() {
        #expect(choose(.auto, cores: 8) { $0.segments = 3 }.lanes == 3)
        #expect(choose(.count(8), cores: 8) { $0.segments = 3 }.lanes == 3)
        #expect(choose(.count(8), cores: 8) { $0.segments = 1 }.lanes == 1)
        #expect(choose(.count(8), cores: 8) { $0.segments = nil }.lanes == 8)
    }

    @Test(
        "one if a setting depends on other segments, for any request",
        arguments: [ParallelRequest.auto, .count(4)])
    func obstacle(request: ParallelRequest) {
        let choice = choose(request, cores: 8) { $0.obstacle = "a bit rate is kept" }
        #expect(choice == ParallelChoice(reason: "a bit rate is kept"))
    }

    @Test(
        "GPUs alternate, and software gets the additional lanes",
        arguments: [
            (ParallelRequest.auto, ["a", "b", "a", "b"]), (.count(2), ["a", "b"]), (.count(3), ["a", "b", "a"]),
            (.count(1, software: 2), ["a", "cpu", "cpu"]), (.count(1), []),
        ])
    func onGPUs(request: ParallelRequest, devices: [String]) {
        let choice = choose(request, cores: 8) {
            ($0.gpus, $0.software) = ([DeviceID("a"), DeviceID("b")], DeviceID("cpu"))
        }
        #expect(choice.devices == devices.map { DeviceID($0) } && choice.lanes == max(1, devices.count))
        #expect(choice.threads == (devices.contains("cpu") ? 4 : nil))
    }

    @Test("no software lanes if software must not encode, and no more lanes than segments")
    func fewerOnGPUs() {
        let gpus = [DeviceID("a")]
        #expect(choose(.count(1, software: 1), cores: 8) { $0.gpus = gpus }.lanes == 1)
        let choice = choose(.count(8), cores: 8) { ($0.gpus, $0.segments) = (gpus, 3) }
        #expect(choice.lanes == 3 && choice.devices.count == 3)
    }

    @Test("software gets all lanes if no GPU encodes")
    func noGPU() {
        let choice = choose(.count(1, software: 1), cores: 4) { $0.software = DeviceID("cpu") }
        #expect(choice.lanes == 2 && choice.threads == 2 && choice.devices.isEmpty)
    }

    @Test(
        "settings that depend on other segments are named, and a refused request is a notice",
        arguments: [
            ("a bit rate", 0), ("frame rate", 1), ("deinterlaced", 2), ("10 s apart", 3), ("GPU", 4), ("a bit rate", 5),
        ])
    func notices(words: String, number: Int) throws {
        let clip = try SourceClip(frames: number == 3 ? 45 : 150) { $0.frameRate = 5 }
        let decoding = [FakeBackend([.decode]), FakeBackend()]
        let plan = try clip.plan(with: number == 4 ? decoding : [FakeBackend(isHardware: number == 5)]) {
            $0.parallelism = .count(2)
            if number == 0 || number == 5 { $0.bitrate = 500_000 }
            if number == 1 { $0.frameRate = 10 }
            if number == 2 { $0.deinterlace = .on }
        }.plan
        #expect(plan.video.parallelism == 1 && plan.video.encoder.threads == nil)
        #expect(plan.decisions.first { $0.subject == "parallel" }?.reason.contains(words) == true)
        #expect(plan.notices.contains { $0.kind == .parallelReduced && $0.message.contains(words) })
    }

    @Test(
        "if one GPU has no B frames, all segments have none, so that they can be joined", arguments: ["a", "b"])
    func unlikeGPUs(simple: String) throws {
        let clip = try SourceClip(frames: 150) { $0.frameRate = 5 }
        var gpus = FakeBackend(isHardware: true, devices: ["a": VideoProfile.allCases, "b": VideoProfile.allCases])
        #expect(try clip.plan(with: [gpus]) { $0.parallelism = .count(2) }.plan.video.encoder.reordersFrames)
        let index = try #require(gpus.matrices.firstIndex { $0.device.name == simple })
        for row in gpus.matrices[index].encoders.indices { gpus.matrices[index].encoders[row].reordersFrames = false }
        let plan = try clip.plan(with: [gpus]) { $0.parallelism = .count(2) }.plan
        #expect(plan.video.parallelism == 2 && !plan.video.encoder.reordersFrames)
        let choice = try #require(plan.decisions.first { $0.subject == "parallel" }?.choice)
        #expect(choice.hasSuffix(", without B frames, which fake \(simple) does not have"))
    }

    @Test("only a quality is encoded in segments, and the default has no notice")
    func planned() throws {
        let clip = try SourceClip(frames: 150) { $0.frameRate = 5 }
        let plan = try clip.plan { $0.parallelism = .count(2) }.plan
        #expect(plan.video.parallelism == 2 && !plan.notices.contains { $0.kind == .parallelReduced })
        let standard = try clip.plan().plan
        #expect(standard.video.parallelism == 1 && !standard.decisions.contains { $0.subject == "parallel" })
    }
}
