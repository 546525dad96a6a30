import Glibc
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

@Suite("A resumed ladder")
struct LadderResumeTests {
    private struct Stopped: Error {}

    /// One command line, run repeatedly.
    private struct Run {
        let clip: SourceClip
        var name = "out"
        var change: @Sendable (inout TranscodeRequest) -> Void = { _ in }
        /// Changes the second rendition's encoder after the journal has been compared with the plan.
        var changeOfEncoder: @Sendable (inout EncoderConfiguration) -> Void = { _ in }
        /// Whether the run is killed after the output has its name.
        var isKilledAtTheEnd = false

        var output: String { clip.directory.file(name) }

        func job() -> TranscodeJob {
            let request = clip.request(name) {
                ($0.writesHLS, $0.preset, $0.journal) = (true, .fast, JournalRequest())
                ($0.ladder, $0.segmentDuration) = (LadderRequest("180:300k,120:150k"), 1)
                $0.keyFrameInterval = KeyFrameInterval(frames: 10)
                change(&$0)
            }
            return TranscodeJob(request, backends: [SoftwareBackend()], cancellation: Cancellation()) { _ in }
        }

        /// - Parameter stop: the first packet of the video that the slower rendition does not write, however far the
        ///   other one is; nil for the whole ladder.
        /// - Returns: the resume point; nil at the beginning. Attempts that rebuild the output have their own.
        func callAsFunction(stopAt stop: Int? = nil) throws -> ResumePoint? {
            let job = job()
            var resumes: [ResumePoint?] = []
            while true {
                do {
                    try attempt(job, stop, &resumes)
                    return resumes[0]
                } catch let change as SeamChange { job.journal?.note(change) }
            }
        }

        private func attempt(_ job: TranscodeJob, _ stop: Int?, _ resumes: inout [ResumePoint?]) throws {
            var prepared = try job.prepare(job.request, after: HardwareFailures())
            let (plan, journal) = (prepared.plan, try #require(job.journal))
            #expect(try journal.open(plan, isRetry: false).isEmpty)
            let resume = journal.resumePoint(plan)
            resumes.append(resume)
            try reopenEncoder(&prepared)
            let output = try LadderOutput(plan, of: job)
            do {
                try write(prepared, to: output, from: resume, stop)
                if isKilledAtTheEnd { try takeName(journal) }
                try output.commit(InputErrorReport())
            } catch {
                output.discard()
                _ = journal.close(after: job.explain(error, plan))
                if !(error is Stopped) { throw error }
            }
        }

        private func reopenEncoder(_ prepared: inout PreparedTranscode) throws {
            var encoder = prepared.lower[0].plan.encoder
            changeOfEncoder(&encoder)
            guard encoder != prepared.lower[0].plan.encoder else { return }
            let stages = prepared.lower[0].stages
            prepared.lower[0].stages = OpenedStages(
                sessions: stages.sessions, decoder: stages.decoder, filter: stages.filter,
                encoder: try stages.sessions.encoding.makeEncoder(encoder), recoveries: stages.recoveries)
        }

        private func write(
            _ prepared: PreparedTranscode, to output: LadderOutput, from resume: ResumePoint?, _ stop: Int?
        ) throws {
            let (plan, group, damage) = (prepared.plan, ThreadGroup(), InputErrorReport())
            let ledger = OutputLedger(streams: plan.streamCount)
            let earlier = resume?.frameCount ?? 0
            let waiting = Locked(Set((0..<2).map(plan.streamIndex(ofRendition:))))
            let sink = SpoilingSink(try output.makeSink(ledger, damage)) { packet, stream, position in
                guard earlier + position == stop else { return packet }
                if waiting.withLock({ $0.remove(stream) != nil && $0.isEmpty }) { throw Stopped() }
                return packet
            }
            TranscodePipeline(
                prepared, sink: sink, damage: damage, ledger: ledger, lower: output.lowerLedgers, from: resume
            ).start(in: group)
            try group.wait()
            try output.check(ledger) { false }
        }

        private func takeName(_ journal: TranscodeJournal) throws {
            let partial = AtomicFile.partialPath(for: output)
            try journal.markFinished(partial, replacing: nil)
            rename(partial, output)
            throw Stopped()
        }
    }

    /// What must not depend on the stop.
    private struct Content: Equatable {
        struct Video: Equatable {
            var times: [Double]
            var decoding: [Double]
            var keyFrames: [Double]
        }

        let names: [String]
        let videos: [Video]
        let audio: [[PacketRecord]]
        let durations: [[Substring]]
        let codecs: [Substring]

        init(_ run: Run) throws {
            let directory = run.output
            names = run.clip.directory.names(in: run.name).sorted()
            func text(_ name: String) throws -> [Substring] {
                String(decoding: try Files.read("\(directory)/\(name)"), as: UTF8.self).split(separator: "\n")
            }
            let files = names.filter { $0.hasSuffix(".mp4") }
            videos = try files.filter { $0.hasSuffix("p.mp4") }.map { name in
                let packets = try MediaFile("\(directory)/\(name)").packets(.video)
                return Video(
                    times: packets.compactMap { $0.pts?.seconds }.sorted(),
                    decoding: packets.compactMap { $0.dts?.seconds },
                    keyFrames: packets.filter(\.isKeyFrame).compactMap { $0.pts?.seconds })
            }
            audio = try files.filter { $0.hasPrefix("audio") }.map { name in
                try MediaFile("\(directory)/\(name)").packets(.audio)
            }
            durations = try names.filter { $0.hasSuffix("p.m3u8") }.map { name in
                try text(name).filter { $0.hasPrefix("#EXTINF") }
            }
            codecs = try text("master.m3u8").flatMap { line in
                line.split(separator: ",").filter { $0.contains("CODECS") || $0.hasPrefix("RESOLUTION") }
            }
        }
    }

    private func clip(_ change: (inout VideoRecipe) -> Void = { _ in }) throws -> SourceClip {
        try SourceClip(frames: 120, audio: .flac) {
            $0.size = PixelSize(320, 180)
            change(&$0)
        }
    }

    private func journal(_ run: Run) throws -> JournalDirectory {
        try JournalDirectory.open(JournalRequest().path(for: run.output), timeout: .worker)
    }

    /// The number of frames in the journal of both renditions.
    private func frameCount(_ run: Run) throws -> Int {
        try RenditionShards(readingAllOf: try journal(run)).frameCount
    }

    /// - Parameter frames: The number of frames after which the last run resumes.
    private func check(
        _ clip: SourceClip, _ stops: [Int], frames: Int,
        _ change: @escaping @Sendable (inout TranscodeRequest) -> Void = { _ in }
    ) throws {
        let (whole, stopped) = (Run(clip: clip, name: "whole", change: change), Run(clip: clip, change: change))
        #expect(try whole() == nil)
        for stop in stops { _ = try stopped(stopAt: stop) }
        #expect(try stopped()?.frameCount == frames)
        #expect(try Content(stopped) == Content(whole))
        #expect(clip.directory.names == ["in.mkv", "out", "whole"])
        for name in ["180p.mp4", "120p.mp4"] {
            let decoded = try Decoded("\(stopped.output)/\(name)")
            #expect(decoded.errors == 0 && decoded.frames.count == 120)
        }
    }

    @Test("resumes after the last GOP of all renditions, and equals an undisturbed run")
    func resumes() throws {
        try check(try clip(), [49], frames: 40)
    }

    @Test("resumes after repeated stops")
    func often() throws {
        try check(try clip(), [29, 39, 39, 79, 119], frames: 110)
    }

    @Test("has its key frames at the same times with irregular timestamps")
    func uneven() throws {
        let clip = try clip {
            $0.timeBase = Rational(1, 1000)
            $0.times = (0..<Int64(120)).map { $0 * 40 + $0 % 3 * 11 }
        }
        let change: @Sendable (inout TranscodeRequest) -> Void = {
            $0.keyFrameInterval = KeyFrameInterval(seconds: 0.7)
        }
        let run = Run(clip: clip, change: change)
        _ = try run(stopAt: 60)
        let frames = try frameCount(run)
        #expect(frames > 20)
        try check(clip, [], frames: frames, change)
    }

    @Test("what only one rendition has is encoded again")
    func ahead() throws {
        let run = Run(clip: try clip())
        _ = try run(stopAt: 75)
        let file = try journal(run).file("video-1.index")
        let byteCount = Int64(3 * GOPRecord.byteCount)
        try Files.write(Array(try Files.read(file).prefix(Int(byteCount))), to: file)
        #expect(try frameCount(run) == 30)
        #expect(try run()?.frameCount == 30)
        #expect(try Content(run).videos.allSatisfy { $0.times.count == 120 && $0.keyFrames.count == 12 })
    }

    @Test("frames of an earlier run are compared in each rendition, and all go on before a wrong one")
    func wrongFrame() throws {
        let run = Run(clip: try clip()) { $0.verification = .full }
        _ = try run(stopAt: 55)
        try spoil(run, frames: 20..<30)
        let error = #expect(throws: TranscodeError.self) { try run() }
        #expect(error?.kind == .verificationContent)
        #expect(try frameCount(run) == 20)
        #expect(try run()?.frameCount == 20)
    }

    /// Changes what the journal says of the second rendition's frames.
    private func spoil(_ run: Run, frames: Range<Int64>) throws {
        let journal = try journal(run)
        let shard = try JournalShard(reading: RenditionShards.name(of: 1), of: journal)
        let gops = try shard.gops.map { try shard.read($0, of: journal) }
        let writer = JournalWriter(after: JournalShard(name: shard.name)) { () throws(JournalError) in journal }
        for gop in gops {
            for var frame in gop.frames {
                if frames.contains((frame.pts ?? 0) / frame.duration) {
                    frame.signature = frame.signature.prefix(4) + frame.signature.dropFirst(4).map { 255 - $0 }
                }
                try writer.append(frame, parameterSets: gop.parameterSets)
            }
        }
        try writer.closeGOP()
    }

    @Test("each rendition keeps its limit across the resume point")
    func limit() throws {
        // Each frame is different: the limit is always used fully.
        let clip = try clip { ($0.filters, $0.options) = ("noise=alls=60:allf=t", [("qp", "20")]) }
        let run = Run(clip: clip)
        _ = try run(stopAt: 65)
        let plan = try run.job().plan()
        let resume = try #require(try run())
        for (rendition, name) in ["180p", "120p"].enumerated() {
            let rate = resume.rates[plan.streamIndex(ofRendition: rendition)]
            #expect(rate?.bufferFullness != nil && rate?.averageBitrate != nil)
            let vbv = try #require(plan.encodings[rendition].encoder.vbv)
            let packets = try MediaFile("\(run.output)/\(name).mp4").packets(.video)
            #expect(LeakyBucket(vbv, fullness: 0.9, after: packets).lowest > -0.02)
        }
    }

    @Test("another encoder's parameter sets are at each key frame, and the playlists say so")
    func seam() throws {
        var run = Run(clip: try clip(), changeOfEncoder: { $0.allowsFrameReordering = false })
        _ = try run(stopAt: 49)
        run.changeOfEncoder = { $0.preset = .balanced }
        #expect(try run()?.frameCount == 40)
        #expect(try Content(run).codecs.allSatisfy { !$0.contains("CODECS") || $0.contains("avc3.") })
        for name in ["180p.mp4", "120p.mp4"] {
            let decoded = try Decoded("\(run.output)/\(name)")
            #expect(decoded.frames.count == 120 && decoded.errors == 0)
        }
    }

    @Test(
        "a difference is reported, and nothing is discarded",
        arguments: [
            ("it differs in ladder (180p at 300k, 120p at 150k then, 180p at 300k, 120p at 100k now)", 0),
            ("it differs in ladder (180p at 300k, 120p at 150k then, 180p at 300k now)", 1),
            ("it differs in segmentDuration (1.2 s then, 2.0 s now)", 2),
            ("it differs in the playlists (HLS then, HLS and DASH now)", 3),
        ])
    func mismatch(words: String, number: Int) throws {
        var run = Run(clip: try clip())
        _ = try run(stopAt: 49)
        let changes: [@Sendable (inout TranscodeRequest) -> Void] = [
            { $0.ladder = LadderRequest("180:300k,120:100k") }, { $0.ladder = LadderRequest("180:300k") },
            { $0.segmentDuration = 2 }, { $0.writesDASH = true },
        ]
        run.change = changes[number]
        let other = run
        let error = #expect(throws: TranscodeError.self) { try other() }
        #expect(error?.kind == .journalMismatch && error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(error?.hint?.contains("40 frames") == true && error?.hint?.contains("vtx resume") == true)
        #expect(try frameCount(run) == 40)
    }

    @Test(
        "one that was killed after the rename is finished, and only its journal is removed", arguments: [false, true])
    func finished(isOther: Bool) throws {
        let clip = try clip()
        _ = try Run(clip: clip, isKilledAtTheEnd: true)()
        #expect(clip.directory.names == [".out.vtx-journal", "in.mkv", "out"])
        let before = try SourceIdentity(ofOutput: clip.directory.file("out"))
        if isOther {
            let other = Run(clip: clip) { $0.journal?.command = ["--dash"] }
            #expect(throws: TranscodeError.self) { try other.job().run() }
        } else {
            #expect(try Run(clip: clip).job().run().outcome == .skipped)
        }
        #expect(clip.directory.names == ["in.mkv", "out"])
        #expect(try SourceIdentity(ofOutput: clip.directory.file("out")) == before)
    }
}
