import Testing
import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXSession
import VTXSoftware
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("A resumed transcode")
struct ResumeTests {
    private struct Stopped: Error {}

    /// One run into `name`, with its output's journal.
    private struct Run {
        let clip: SourceClip
        let name: String
        var change: @Sendable (inout TranscodeRequest) -> Void = { _ in }
        /// The encoder's options, after the journal has been compared with the plan.
        var changeOfEncoder: @Sendable (inout EncoderConfiguration) -> Void = { _ in }

        var output: String { clip.directory.file(name) }

        func plan() throws -> PreparedTranscode {
            let request = clip.request(name) {
                $0.codec = .h264
                $0.preset = .fast
                $0.keyFrameInterval = KeyFrameInterval(frames: 10)
                change(&$0)
            }
            return try TranscodePreparation(request, backends: [SoftwareBackend()]).prepare()
        }

        /// - Parameter stop: the first video packet that is not written; nil for the whole file.
        /// - Returns: the resume point; nil at the beginning.
        func callAsFunction(stopBefore stop: Int? = nil, journal: TranscodeJournal = Run.journal()) throws
            -> ResumePoint?
        {
            while true {
                do { return try attempt(stop, journal) } catch let change as SeamChange { journal.note(change) }
            }
        }

        private func reopenEncoder(_ prepared: inout PreparedTranscode) throws {
            prepared.encoding?.plan.encoder = prepared.plan.video.encoder
            let encoder = try prepared.sessions.encoding.makeEncoder(prepared.plan.video.encoder)
            let stages = prepared.stages
            prepared.stages = OpenedStages(
                sessions: stages.sessions, decoder: stages.decoder, filter: stages.filter, encoder: encoder,
                recoveries: stages.recoveries)
        }

        static func journal(_ change: (inout JournalRequest) -> Void = { _ in }) -> TranscodeJournal {
            var request = JournalRequest()
            change(&request)
            return TranscodeJournal(request)
        }

        private func attempt(_ stop: Int?, _ journal: TranscodeJournal) throws -> ResumePoint? {
            var prepared = try plan()
            #expect(try journal.open(prepared.plan, isRetry: false).isEmpty)
            let resume = journal.resumePoint(prepared.plan)
            let planned = prepared.plan.video.encoder
            changeOfEncoder(&prepared.plan.video.encoder)
            if prepared.plan.video.encoder != planned { try reopenEncoder(&prepared) }
            let (damage, group) = (InputErrorReport(), ThreadGroup())
            let ledger = OutputLedger(streams: prepared.plan.streams.count { !$0.isDropped })
            let muxer = try MuxerSink(
                prepared.plan, path: output, damage: damage, repeatsParameterSets: journal.repeatsParameterSets)
            let video = prepared.plan.videoIndex
            let spoiled = SpoilingSink(muxer) { packet, stream, position in
                if stream == video, position == stop { throw Stopped() }
                return packet
            }
            let sink = try #require(try journal.makeSink(over: spoiled, prepared.plan, ledger, damage))
            do {
                TranscodePipeline(prepared, sink: sink, damage: damage, ledger: ledger, from: resume).start(
                    in: group)
                try group.wait()
            } catch let error {
                _ = journal.close(after: TranscodeError(.outputWrite, "stopped"))
                if error is Stopped { return resume }
                throw error
            }
            #expect(!damage.isIncomplete)
            var plan = prepared.plan
            plan.output = output
            try OutputVerifier(plan: plan, ledger: ledger, path: output).verify { false }
            journal.remove()
            return resume
        }
    }

    /// Changes the journal of an output, GOP by GOP.
    private func rewrite(_ run: Run, _ change: (inout JournalPacket) -> Void) throws {
        let journal = try JournalDirectory.open(JournalRequest().path(for: run.output), timeout: .worker)
        let shard = try JournalShard(reading: RenditionShards.name(of: 0), of: journal)
        let gops = try shard.gops.map { try shard.read($0, of: journal) }
        let writer = JournalWriter(after: JournalShard(name: shard.name)) { () throws(JournalError) in journal }
        for gop in gops {
            for var frame in gop.frames {
                change(&frame)
                try writer.append(frame, parameterSets: gop.parameterSets)
            }
        }
        try writer.closeGOP()
    }

    @Test("frames of an earlier run are compared with its source", arguments: VerificationLevel.allCases)
    func comparesEarlierFrames(level: VerificationLevel) throws {
        let run = Run(clip: try SourceClip(frames: 40, audio: nil), name: "out.mp4") { $0.verification = level }
        _ = try run(stopBefore: 35)
        try rewrite(run) { frame in
            if (10..<20).contains(frame.pts.map { $0 / frame.duration } ?? 0) {
                frame.signature = frame.signature.prefix(4) + frame.signature.dropFirst(4).map { 255 - $0 }
            }
        }
        if level == .full {
            let error = #expect(throws: TranscodeError.self) { try run() }
            #expect(error?.kind == .verificationContent)
        } else {
            // Of the others, the first and the last group are sampled.
            #expect(try run()?.frameCount == 30)
        }
    }

    @Test("to verify every frame, those without a comparison are encoded again")
    func incomparable() throws {
        let run = Run(clip: try SourceClip(frames: 40, audio: nil), name: "out.mp4") { $0.verification = .full }
        _ = try run(stopBefore: 35)
        try rewrite(run) { if ($0.pts ?? 0) / $0.duration == 15 { $0.signature = [] } }
        #expect(try run()?.frameCount == 10)
    }

    /// Counts its input.
    private final class CountingSink: PacketSink {
        let packets = Locked(0)
        var byteCount: Int64 { 0 }
        func open(_ stream: Int, _ description: OutputStreamDescription) {}
        func write(_ packet: Packet, to stream: Int) { packets.withLock { $0 += 1 } }
        func finish() {}
    }

    @Test("nothing of an earlier run is written before the video is declared, which keeps its parameter sets")
    func waitsForDescription() throws {
        let run = Run(clip: try SourceClip(frames: 40, audio: nil), name: "out.mp4")
        _ = try run(stopBefore: 35)
        let (prepared, journal, counting) = (try run.plan(), Run.journal(), CountingSink())
        #expect(try journal.open(prepared.plan, isRetry: false).isEmpty)
        let sink = try #require(
            try journal.makeSink(over: counting, prepared.plan, OutputLedger(streams: 1), InputErrorReport()))
        try sink.advance(to: nil)
        #expect(counting.packets.withLock(\.self) == 0)
        let encoding = try #require(prepared.plan.video.encoding)
        try sink.open(0, StreamDescriptions.encoded(prepared.plan, encoding, prepared.stages.encoder.parameters))
        try sink.advance(to: nil)
        #expect(counting.packets.withLock(\.self) == 30)
    }

    /// The contents of a file that must not depend on the stop. check-journal compares coded frames: next to other
    /// encoders in a process, two encodes of the same frames do not always give the same bytes.
    private struct Content: Equatable {
        var streams: [String]
        var tags: [UInt32]
        var times: [[PacketRecord]]
        var others: [[PacketRecord]]

        /// - Parameter hasSegments: each begins with a key frame, which may move in a resumed run: then the order of B
        ///   frames changes too, but not that of times.
        init(_ path: String, hasSegments: Bool = false) throws {
            let file = try MediaFile(path)
            streams = file.streams.map(\.codecName)
            tags = file.streams.map(\.codecTag)
            times = file.packets.map { hasSegments ? $0.inOrderOfTimes : $0.map(\.withoutBytes) }
            others = zip(file.streams, file.packets).filter { $0.0.kind != .video }.map(\.1)
        }
    }

    private func check(
        _ clip: SourceClip, _ pathExtension: String, stops: [Int], frames: Int,
        _ change: @escaping @Sendable (inout TranscodeRequest) -> Void = { _ in }
    ) throws {
        let undisturbed = Run(clip: clip, name: "whole.\(pathExtension)", change: change)
        #expect(try undisturbed() == nil)
        let stopped = Run(clip: clip, name: "stopped.\(pathExtension)", change: change)
        let records = try MediaFile(undisturbed.output).packets(.video)
        var last = 0
        for stop in stops {
            let resume = try stopped(stopBefore: stop)
            #expect((resume?.frameCount ?? 0) == last)
            // The starts of segments and GOPs depend on the source's times.
            last = records[..<stop].lastIndex(where: \.isKeyFrame) ?? 0
        }
        let resume = try stopped()
        #expect((resume?.frameCount ?? 0) == last)
        let hasSegments = try undisturbed.plan().plan.video.isCut
        #expect(
            try Content(stopped.output, hasSegments: hasSegments)
                == Content(undisturbed.output, hasSegments: hasSegments))
        #expect(try Decoded(stopped.output).frames.count == frames)
    }

    @Test("resumes with the quality found by its search")
    func target() throws {
        let clip = try SourceClip(frames: 60)
        let target = QualityTarget(.ssim, 0.9)
        let stopped = Run(clip: clip, name: "stopped.mkv") { ($0.target, $0.quality) = (target, Quality(33)) }
        _ = try stopped(stopBefore: 37)
        let request = clip.request("stopped.mkv") {
            ($0.codec, $0.target, $0.journal) = (.h264, target, JournalRequest())
        }
        func plan(_ change: (inout TranscodeRequest) -> Void = { _ in }) throws -> RateControl {
            var changed = request
            change(&changed)
            let job = TranscodeJob(
                changed, backends: [SoftwareBackend()], cancellation: Cancellation(), report: { _ in })
            return try job.plan().video.encoder.rateControl
        }
        #expect(try plan() == .quality(Quality(33)!))
        #expect(try plan { $0.target = QualityTarget(.ssim, 0.99) } != .quality(Quality(33)!))
        #expect(try plan { $0.journal?.startsOver = true } != .quality(Quality(33)!))
    }

    @Test(
        "resumes after its last complete GOP, and equals an undisturbed run",
        arguments: ["mkv", "mp4", "mov", "ts", "h264"])
    func containers(pathExtension: String) throws {
        let clip = try SourceClip(frames: 120, audio: .aac)
        try check(clip, pathExtension, stops: [37], frames: 120)
    }

    @Test("resumes in fragments, with HEVC, without B frames, at another rate, with a cut", arguments: 0..<5)
    func settings(number: Int) throws {
        let clip = try SourceClip(frames: 120, audio: .aac)
        let changes: [@Sendable (inout TranscodeRequest) -> Void] = [
            { $0.isFragmented = true }, { $0.codec = .hevc }, { $0.allowsBFrames = false },
            { $0.frameRate = Rational(50, 1) },
            { ($0.start, $0.duration) = (1.02, 3) },
        ]
        try check(clip, "mp4", stops: [43], frames: [120, 120, 120, 240, 75][number], changes[number])
    }

    @Test("resumes with parallel segments, from the start or only later", arguments: [47, 93, 138])
    func segments(stop: Int) throws {
        let clip = try SourceClip(frames: 150, audio: .aac) { $0.frameRate = 5 }
        try check(clip, "mp4", stops: [stop], frames: 150) { $0.parallelism = .count(2) }
    }

    @Test("resumes with a quality for each segment, in parallel and in sequence", arguments: [2, 1])
    func qualities(lanes: Int) throws {
        let clip = try SourceClip(frames: 150, audio: .aac) { $0.frameRate = 5 }
        try check(clip, "mp4", stops: [47, 93], frames: 150) {
            $0.parallelism = .count(lanes)
            $0.segmentQualities = Self.qualities
        }
    }

    private static let qualities = [
        SegmentQuality(start: 0, quality: Quality(40)!), SegmentQuality(start: 15, quality: Quality(80)!),
    ]

    @Test("resumes with the quality found for each segment, without another search")
    func targetOfSegments() throws {
        let clip = try SourceClip(frames: 150) { $0.frameRate = 5 }
        let target = QualityTarget(.ssim, 0.9)
        let stopped = Run(clip: clip, name: "stopped.mkv") {
            ($0.parallelism, $0.target) = (.count(2), target)
            ($0.quality, $0.segmentQualities) = (Quality(80), Self.qualities)
        }
        _ = try stopped(stopBefore: 93)
        let request = clip.request("stopped.mkv") {
            ($0.codec, $0.target, $0.journal) = (.h264, target, JournalRequest())
            $0.parallelism = .count(2)
        }
        let job = TranscodeJob(request, backends: [SoftwareBackend()], cancellation: Cancellation()) { event in
            if case .progress = event { Issue.record("it searches") }
        }
        #expect(try job.plan().video.encoding?.segmentQualities == Self.qualities)
    }

    @Test("resumes after repeated stops")
    func often() throws {
        let clip = try SourceClip(frames: 150, audio: .aac)
        try check(clip, "mp4", stops: [25, 31, 68, 99, 141], frames: 150)
    }

    @Test("resumes with irregular times, and any start of audio and timestamps")
    func uneven() throws {
        let clip = try SourceClip(frames: 120, audio: .aac) {
            $0.timeBase = Rational(1, 1000)
            $0.times = (0..<Int64(120)).map { $0 * 40 + $0 % 3 * 11 }
        }
        try check(clip, "mkv", stops: [95], frames: 120)
    }

    @Test(
        "stopped in its first second by the user keeps no journal; by a fault, complete GOPs",
        arguments: [true, false])
    func atOnce(byFault: Bool) throws {
        let clip = try SourceClip(frames: 25)
        let (plan, path, now) = (try clip.plan().plan, clip.directory.file("journal"), ContinuousClock.now)
        let writer = JournalWriter(after: JournalShard(name: "video-0"), now: { now }) {
            () throws(JournalError) in try JournalDirectory.open(path)
        }
        let (base, ledger, encoding) = (FakeSink(), OutputLedger(streams: 1), try #require(plan.video.encoding))
        let video = JournaledVideo(over: base, encoding, stream: plan.videoIndex, ledger, writer: writer)
        let sink = JournalSink(over: base, ledger, [video])
        for time in 0..<3 {
            let packet = try Packet(
                bytes: [1], pts: Int64(time), dts: Int64(time), duration: 1, timeBase: plan.video.encoder.timeBase)
            try sink.write(packet, to: plan.videoIndex)
        }
        #expect(sink.keep(beginsJournal: byFault) == (byFault ? 2 : 0))
    }

    @Test("keeps its limit across the resume point", arguments: VideoCodec.ofNALUnits)
    func limit(codec: VideoCodec) throws {
        // Each frame is different: the limit is always used fully.
        let clip = try SourceClip(frames: 150) {
            ($0.size, $0.filters, $0.options) = (PixelSize(320, 180), "noise=alls=60:allf=t", [("qp", "20")])
        }
        let run = Run(clip: clip, name: "out.mp4") {
            ($0.codec, $0.quality, $0.maxBitrate) = (codec, Quality(80), 600_000)
        }
        #expect(try run(stopBefore: 65) == nil)
        let vbv = try #require(try run.plan().plan.video.encoder.vbv)
        let resume = try #require(try run())
        let packets = try MediaFile(run.output).packets(.video)
        let before = LeakyBucket(vbv, fullness: 0.9, after: Array(packets.prefix(resume.frameCount)))
        // The estimate starts with a lower buffer fullness, so the rate may be lower. With threads, an encoder's usage
        // until then differs from run to run: by well over a quarter of the buffer.
        let fullness = try #require(resume.rates[0]?.bufferFullness)
        #expect(fullness < before.fullness + 0.01 && fullness < 0.7)
        #expect(LeakyBucket(vbv, fullness: 0.9, after: packets).lowest > -0.02)
    }

    @Test("if only the end is missing, nothing is encoded")
    func onlyEnd() throws {
        let clip = try SourceClip(frames: 60, audio: .aac)
        let journal = try written(by: Run(clip: clip, name: "out.mp4"))
        #expect(journal.close(after: TranscodeError(.outputWrite, "stopped")) == 60)
    }

    /// The journal of a run that has encoded everything.
    private func written(by run: Run) throws -> TranscodeJournal {
        let prepared = try run.plan()
        let journal = Run.journal()
        #expect(try journal.open(prepared.plan, isRetry: false).isEmpty)
        let ledger = OutputLedger(streams: 2)
        let sink = try #require(try journal.makeSink(over: FakeSink(), prepared.plan, ledger, InputErrorReport()))
        let group = ThreadGroup()
        TranscodePipeline(prepared, sink: sink, damage: InputErrorReport(), ledger: ledger).start(in: group)
        try group.wait()
        return journal
    }

    @Test(
        "another encoder's parameter sets are at each key frame, and its delay shifts all of it",
        arguments: [
            ("mp4", VideoCodec.h264), ("mkv", .h264), ("ts", .h264), ("mp4", .hevc), ("mov", .hevc),
        ])
    func seam(pathExtension: String, codec: VideoCodec) throws {
        let clip = try SourceClip(frames: 100, audio: .aac)
        let change: @Sendable (inout TranscodeRequest) -> Void = { $0.codec = codec }
        var run = Run(clip: clip, name: "out.\(pathExtension)", change: change) { $0.allowsFrameReordering = false }
        #expect(try run(stopBefore: 45) == nil)
        run.changeOfEncoder = { $0.preset = .balanced }
        #expect(try run()?.frameCount == 40)
        let decoded = try Decoded(run.output)
        #expect(decoded.frames.count == 100 && decoded.errors == 0)
        let tags = ["mp4", "mov"].contains(pathExtension) ? [codec == .hevc ? "hev1" : "avc3"] : []
        let found = try MediaFile(run.output).video?.codecTag
        for tag in tags { #expect(found == tag.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }) }
    }

    @Test("the earlier encoder's last frames have its parameter sets, and the following frames the new one's")
    func lateSeam() throws {
        let clip = try SourceClip(frames: 100, audio: .aac)
        // Frames added for the rate are output after their source time: when the new encoder has begun.
        var run = Run(clip: clip, name: "out.mp4", change: { $0.frameRate = 30 }) { $0.allowsFrameReordering = false }
        #expect(try run(stopBefore: 45) == nil)
        run.changeOfEncoder = { $0.preset = .balanced }
        #expect(try run()?.frameCount == 40)
        let decoded = try Decoded(run.output)
        #expect(decoded.frames.count == 120 && decoded.errors == 0)
    }

    @Test(
        "a difference is reported, and nothing is discarded",
        arguments: [
            ("size (160x96 then, 80x48 now)", 0), ("preset (fast then, quality now)", 1), ("the source (", 2),
            ("vtx ( then, 2 now)", 3), ("the journal's format (7 then, 1 now)", 4), ("vtx ( then, 2 now)", 5),
            ("it differs in sharpen (none then, strong now)", 6), ("80x48 now), crop (none then, 80x48+0+0 now)", 7),
            ("it differs in audio (audio stream 1 (aac): copy then, none now)", 8),
            ("it differs in start and duration (all then, from 0.0 s to 1.0 s now)", 9),
        ])
    func mismatch(words: String, number: Int) throws {
        // The range counts from the first timestamp, which AAC in Matroska by FFmpeg 7 has before the video's.
        let clip = try SourceClip(frames: 60, audio: number == 9 ? nil : .aac)
        var run = Run(clip: clip, name: "out.mp4")
        #expect(try run(stopBefore: 35) == nil)
        if number == 0 { run.change = { $0.size = SizeRequest(80, 48) } }
        if number == 1 { run.change = { $0.preset = .quality } }
        if number == 6 { run.change = { $0.sharpening = .strong } }
        if number == 7 { run.change = { $0.crop = .region(PixelRegion(size: PixelSize(80, 48))) } }
        if number == 8 { run.change = { $0.audio = .none } }
        if number == 9 { run.change = { $0.duration = 1 } }
        if number == 2 { try Files.write(Files.read(clip.path) + [0], to: clip.path) }
        // A later format, and another version's plan.
        let replacements = [4: ("\"formatVersion\":1", "\"formatVersion\":7"), 5: ("\"plan\":", "\"intent\":")]
        if let (old, new) = replacements[number] {
            let header = clip.directory.file(".out.mp4.vtx-journal/header.json")
            let text = String(decoding: try Files.read(header), as: UTF8.self)
            try Files.write(text.replacing(old, with: new), to: header)
        }
        let other = run
        let error = #expect(throws: TranscodeError.self) {
            try other(journal: Run.journal { if [3, 5].contains(number) { $0.version = "2" } })
        }
        #expect(error?.kind == .journalMismatch && error?.message.contains(words) == true)
        #expect(error?.hint?.contains("30 frames") == true)
        // Its own settings resume it if the source and the versions are the same.
        #expect(error?.hint?.contains("vtx resume") == ![2, 3, 4, 5].contains(number))
        // An option starts over.
        #expect(
            try other(
                journal: Run.journal {
                    $0.startsOver = true; if [3, 5].contains(number) { $0.version = "2" }
                }) == nil)
    }

    @Test("added and burned-in files must be the same", arguments: [false, true])
    func additions(isBurnedIn: Bool) throws {
        let clip = try SourceClip(frames: 60, audio: .aac)
        let text = clip.directory.file("in.de.srt")
        try Files.write("1\n00:00:00,500 --> 00:00:00,900\none\n", to: text)
        let run = Run(clip: clip, name: "out.mp4") {
            if isBurnedIn { $0.drawnSubtitles = .file(text) } else { $0.addedSubtitles = [AddedFile(text)] }
        }
        #expect(try run(stopBefore: 35) == nil)
        try Files.write("1\n00:00:00,500 --> 00:00:00,900\ntwo\n", to: text)
        let error = #expect(throws: TranscodeError.self) { try run() }
        #expect(error?.kind == .journalMismatch && error?.message.contains("the added or burned-in files") == true)
        let other = Run(clip: clip, name: "out.mp4")
        #expect(throws: TranscodeError.self) { try other() }
    }

    @Test("a damaged journal gives its intact GOPs, and one without a readable header nothing")
    func damage() throws {
        let clip = try SourceClip(frames: 100, audio: .aac)
        let run = Run(clip: clip, name: "out.mp4")
        #expect(try run(stopBefore: 85) == nil)
        let journal = clip.directory.file(".out.mp4.vtx-journal")
        var bytes = try Files.read("\(journal)/video-0.gops")
        bytes[bytes.count / 2] ^= 4
        try Files.write(bytes, to: "\(journal)/video-0.gops")
        let resume = try #require(try run(stopBefore: 85))
        #expect((10..<80).contains(resume.frameCount))
        try Files.write("{", to: "\(journal)/header.json")
        let damaged = Run.journal()
        #expect(try damaged.open(run.plan().plan, isRetry: false).map(\.kind) == [.journalUnusable])
        damaged.remove()
        #expect(clip.directory.names.filter { $0.contains("journal") }.isEmpty)
    }
}

extension PacketRecord {
    fileprivate var withoutBytes: PacketRecord {
        var record = self
        record.bytes = []
        return record
    }
}

extension [PacketRecord] {
    /// Presentation times and decoding times, each in their order.
    fileprivate var inOrderOfTimes: [PacketRecord] {
        zip(self, compactMap(\.pts).sorted { $0.seconds < $1.seconds }).map { record, pts in
            var record = record.withoutBytes
            (record.pts, record.duration, record.isKeyFrame) = (pts, MediaTime(0, pts.timeBase), false)
            return record
        }
    }
}
