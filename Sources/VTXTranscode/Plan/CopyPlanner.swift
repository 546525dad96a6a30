import VTXFFmpeg
import VTXMedia
import VTXTask

/// Plans a transcode with copied video: nothing is decoded or encoded, and no device is probed.
struct CopyPlanner {
    private let request: TranscodeRequest
    private let source: Source
    private var stream: StreamInfo { source.video.info }

    init(_ request: TranscodeRequest, _ source: Source) { (self.request, self.source) = (request, source) }

    func plan() throws(TranscodeError) -> TranscodePlan {
        var notes = PlanNotes()
        try checkTimes()
        if Self.derivable.contains(stream.codecName) { source.derivePresentationTimes() }
        let output = try OutputChoice.choose(request, .copied(stream), &notes)
        try check(output)
        noteLosses(output.container, &notes)
        let request = try beginningAtKeyFrame(&notes)
        let range = OutputRangeChoice.choose(request, source, output.container, &notes)
        let plan = try TranscodePlan(video(range), request, source, output, range, &notes)
        try Planner.check(plan.notices, against: request)
        return plan
    }

    private func video(_ range: OutputRange) -> VideoPlan {
        let rate = FrameRateChoice.of(source)
        return VideoPlan(
            source: stream, constantFrameRate: rate.isConstantFrameRate ? rate.rate : nil, displayMatrix: nil,
            expectedFrames: range.expectedFrames(at: rate.rate, indexed: stream.frameCount), encoding: nil)
    }

    /// Codecs whose B frames are shown when they are decoded, so that the timestamps of the other frames follow.
    private static let derivable: Set = ["mpeg1video", "mpeg2video", "mpeg4"]

    // MARK: What cannot be copied

    private func checkTimes() throws(TranscodeError) {
        guard source.countsFrames else { return }
        throw .noTimestamps(request.input, stream: stream.index)
    }

    private func check(_ output: OutputChoice) throws(TranscodeError) {
        let rules = ContainerRules.of(output.container)
        guard rules.holds(stream) else { throw cannotHold(output) }
        if let other = source.followerWithOtherHeaders,
            output.container != .ts || source.video.parameters.extradata.first == 1
        {
            throw TranscodeError(
                .inputDiffers,
                "'\(other)' cannot follow '\(request.input)' as it is: its video has different parameter sets, and a copy has one header",
                hint: "without \(option: .copyVideo) it is encoded")
        }
        try checkFollowers()
        try checkHeader(output)
        guard request.start == nil, !rules.hasEditLists, beginsHidden else { return }
        throw TranscodeError(
            .outputEditList,
            "the video of \(request.inputName) begins with frames that its edit list hides, and \(output.container) has "
                + "no edit lists",
            hint: "allowed: \(list([Container.mp4, .mov].pathExtensions))"
        ).at(stream: stream.index)
    }

    /// In a transport stream, MPEG-4's header has to be in the stream (ISO/IEC 14496-2 6.2.2): a picture (`B6`), or a
    /// group of them (`B3`), comes after it.
    private func checkHeader(_ output: OutputChoice) throws(TranscodeError) {
        guard output.container == .ts, stream.codecName == "mpeg4", let first = firstPacket?.bytes.prefix(4),
            first.count == 4, [0xB3, 0xB6].contains(first.last)
        else { return }
        throw TranscodeError(
            .outputCodec,
            "\(request.inputName) has its mpeg4 header outside of the stream, where \(output.container) cannot hold it",
            hint: "mpeg4 goes into .mkv, .mp4 or .mov; without \(option: .copyVideo) it is encoded")
    }

    /// An edit list hides frames at the beginning of an output only.
    private func checkFollowers() throws(TranscodeError) {
        for path in request.appended where try Self.beginsHidden(path) {
            throw TranscodeError(
                .outputEditList,
                "'\(path)' cannot follow '\(request.input)' as it is: its edit list hides the first frames of its video",
                hint: "without \(option: .copyVideo) it is encoded")
        }
    }

    private static func beginsHidden(_ path: String) throws(TranscodeError) -> Bool {
        let demuxer = try InputFile.open(path)
        let video = demuxer.streams.first { $0.kind == .video && !$0.isCoverArt }
        // A file that cannot be read is an error of the transcode.
        while let packet = try? demuxer.read() {
            if packet.streamIndex == video?.index { return packet.isHidden }
        }
        return false
    }

    private func cannotHold(_ output: OutputChoice) -> TranscodeError {
        let others = Container.allCases.filter { ContainerRules.of($0).holds(stream) }
        return TranscodeError(
            .outputCodec,
            "\(StandardStream.output(output.path)) is \(output.container), which cannot hold \(stream.codecName)",
            hint: others.isEmpty
                ? "without \(option: .copyVideo) it is encoded"
                : "\(stream.codecName) goes into \(alternatives(others.map { ".\($0.fileExtensions[0])" }))")
    }

    private var beginsHidden: Bool { firstPacket?.isHidden ?? false }

    private var firstPacket: Packet? { source.firstPacket { $0.streamIndex == stream.index } }

    private func noteLosses(_ container: Container, _ notes: inout PlanNotes) {
        notes.decide("video", "copied", because: "requested")
        let rules = ContainerRules.of(container)
        if !rules.holdsDisplayMatrix, let turned = source.video.displayMatrix?.orientation, turned != .upright {
            notes.note(.downgradeRotation, "the rotation is lost: \(container) cannot store it")
        }
        if source.video.hasAlphaBeside, ![.mkv, .webm].contains(container) {
            notes.note(.downgradeAlpha, "transparency is lost: \(container) cannot store it")
        }
        if !rules.holdsProjection, let projection = source.video.projection {
            notes.note(.downgradeProjection, "the \(projection.name) is lost: \(container) cannot store it")
        }
        if !rules.holdsDolbyVision, let dolbyVision = source.video.dolbyVision {
            notes.note(
                .downgradeDolbyVision,
                "the Dolby Vision configuration (profile \(dolbyVision.name)) is lost: \(container) cannot store it")
        }
    }

    // MARK: The beginning

    /// Begins at a key frame, because other frames refer to previous ones.
    private func beginningAtKeyFrame(_ notes: inout PlanNotes) throws(TranscodeError) -> TranscodeRequest {
        guard let start = request.start else { return request }
        let origin = source.demuxer.startTime?.seconds ?? 0
        if source.demuxer.hasExactDuration, let length = source.demuxer.duration?.seconds, start >= length {
            throw .startIsBeyondEnd(of: request.input)
        }
        let target = MediaTime(seconds: origin + start)
        do throws(FFmpegError) { try source.seek(to: target) } catch { throw .seek(in: request.input, error) }
        guard let first = lastKeyFrame(upTo: target) else { return request }
        var moved = request
        moved.start = max(0, first.seconds - origin)
        moved.duration = request.duration.map { $0 + start - (moved.start ?? 0) }
        if let begin = moved.start, abs(begin - start) > 0.001 {
            notes.note(
                .rangeKeyFrame,
                "the output begins at \(begin.thousandths) s of the source instead of \(start) s: video that is copied "
                    + "begins at a key frame")
        }
        return moved
    }

    /// Returns the last key frame up to a time. Not all containers can seek to it.
    private func lastKeyFrame(upTo target: MediaTime) -> MediaTime? {
        var (index, found) = (0, MediaTime?.none)
        while let packet = source.peek(at: index) {
            index += 1
            guard packet.streamIndex == stream.index else { continue }
            if let time = packet.decodingTime ?? packet.presentationTime, time.seconds > target.seconds { break }
            if packet.isKeyFrame, let time = packet.presentationTime, time.seconds <= target.seconds { found = time }
        }
        return found
    }
}

extension TranscodeError {
    static func noTimestamps(_ input: String, stream: Int) -> TranscodeError {
        TranscodeError(
            .inputNoTimestamps, "the video of \(StandardStream.input(input)) has no timestamps",
            hint: "without \(option: .copyVideo) it is encoded"
        ).at(stream: stream)
    }

    static func hiddenInside(_ input: String, stream: Int) -> TranscodeError {
        TranscodeError(
            .outputEditList,
            "the video of \(StandardStream.input(input)) has frames in its middle that its edit list hides, and a copy would "
                + "show them",
            hint: "without \(option: .copyVideo) it is encoded"
        ).at(stream: stream)
    }

    static func seek(in input: String, _ error: FFmpegError) -> TranscodeError {
        TranscodeError(.inputSeek, "\(StandardStream.input(input)) is not seekable: \(error)")
    }
}
