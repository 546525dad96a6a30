import Glibc
import VTX
import VTXMedia
import VTXProbe
import VTXSystem
import VTXTask
import VTXTranscode
import VTXWorker

/// `vtx-worker`: reads an order, does the task with the library, and reports. vtx starts it.
@main
enum WorkerProgram {
    static func main() {
        // The parent process receives the user's signals and passes them on. Writing to a closed pipe, or beyond the
        // limit on file sizes, is an error instead of a signal.
        Signals.ignore([SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ])
        Signals.hearOfChildren()
        WorkerChannel.inherited.serve { order, channel, cancellation throws(TranscodeError) in
            try TaskRun(order, channel, cancellation).run()
        }
    }
}

/// One task.
struct TaskRun: Sendable {
    private let order: WorkerOrder
    private let channel: WorkerChannel
    private let cancellation: Cancellation
    private let driverNotes = CrashNotes<DriverUse> { WorkerChannel.text(ofLast: .using($0)) }
    /// The driver call to which the owner would attribute a crash.
    private let suspect = Locked<DriverUse?>(nil)

    init(_ order: WorkerOrder, _ channel: WorkerChannel, _ cancellation: Cancellation) {
        self.order = order
        self.channel = channel
        self.cancellation = cancellation
        channel.noteCrashes()
        let log: @Sendable (String) -> Void = { channel.send(.log($0)) }
        LibraryMessages.send(verbose: true, to: order.reportsLog ? log : nil)
        if !order.driverFailures.excludeAll {
            for failure in order.driverFailures where failure.excludesDevice {
                QuarantinedNodes().note(failure, keeps: false)
            }
        }
    }

    /// - Returns: the last event.
    func run() throws(TranscodeError) -> WorkerEvent {
        switch order.task {
        case .transcode(let request): return .result(try transcode(request))
        case .plan(let request): channel.send(.transcode(.planned(try plan(request))))
        case .askDriver(let node): NodeProbe.ask(node) { channel.send(.answer(.driver($0))) }
        case .selfTest(let test): channel.send(.answer(.selfTest(test.run())))
        case .selfTestTranscode(let test): channel.send(.answer(.selfTestTranscode(test.run())))
        case .listNALUnits(let listing): channel.send(.answer(.listed(try list(listing))))
        case .compare(let job): channel.send(.answer(.compared(try compare(job))))
        case .drawThumbnail(let job): try job.run(on: Backends.software())
        case .extract(let job): return .result(try job.run(cancellation, willWrite: willWrite))
        case .mux(let job):
            return .result(
                try job.additions.isEmpty
                    ? job.run(cancellation, willWrite: willWrite) : job.combine(cancellation, willWrite: willWrite))
        case .listCaptureDevices: channel.send(.answer(.captureDevices(Capturer.devices())))
        case .capture(let request):
            return .result(
                try Capturer.run(
                    request, after: order.driverFailures, standardOutput: try standardOutput(of: request),
                    cancellation: cancellation, willUse: willUse,
                    report: channel.send))
        case .versions: channel.send(.answer(.versions(LibraryVersion.all)))
        case .assess(let answers): channel.send(.answer(.assessed(Assessment.report(of: answers))))
        case .listUnfinished(let directories):
            channel.send(.answer(.unfinished(UnfinishedTranscode.all(below: directories))))
        case .findUnfinished(let wanted):
            channel.send(.answer(.unfinished([try UnfinishedTranscode.find(wanted.name, wanted.journal)])))
        }
        return .done
    }

    private func transcode(_ request: TranscodeRequest) throws(TranscodeError) -> TranscodeResult {
        let watch = EngineWatch()
        let result = try job(request, try pipes(of: request)) { event in
            switch event {
            case .planned(let plan): begin(plan, watch)
            // The last event, but a driver may crash before the end of this process.
            case .finished(let result):
                watch.look(isUrgent: true)
                channel.send(.result(Self.measured(result, watch)))
            case .progress:
                watch.look()
                noteWork()
                channel.send(.transcode(event))
            case .notice: channel.send(.transcode(event))
            }
        }
        .run()
        return Self.measured(result, watch)
    }

    private func begin(_ plan: TranscodePlan, _ watch: EngineWatch) {
        // A plan without a GPU leaves them all alone.
        if plan.video.usesHardware { watch.begin() }
        // Each segment has an encoder of its own, on threads of its own.
        if plan.video.isCut { Heap.returnLargeBlocks() }
        channel.send(.transcode(.planned(plan)))
        if !plan.writesPipe { willWrite(plan.output) }
    }

    private static func measured(_ result: TranscodeResult, _ watch: EngineWatch) -> TranscodeResult {
        var result = result
        result.engineSeconds = watch.seconds
        return result
    }

    private func plan(_ request: TranscodeRequest) throws(TranscodeError) -> TranscodePlan {
        try job(request) { channel.send(.transcode($0)) }.plan()
    }

    private func job(
        _ request: TranscodeRequest, _ pipes: TranscodePipes = TranscodePipes(),
        _ report: @escaping @Sendable (TranscodeEvent) -> Void
    ) -> TranscodeJob {
        TranscodeJob(
            request, backends: Backends.all(request.device, willUse: willUse, driverNotes: driverNotes),
            after: order.driverFailures,
            pipes: pipes,
            cancellation: cancellation, report: report)
    }

    /// Standard output is the video's alone: what libraries print goes to standard error.
    private func pipes(of request: TranscodeRequest) throws(TranscodeError) -> TranscodePipes {
        let report: @Sendable (PipeEvent) -> Void = { [channel] in channel.send(.pipe($0)) }
        guard request.writesPipe else { return TranscodePipes(report: report) }
        return TranscodePipes(output: try takeStandardOutput(), report: report)
    }

    private func standardOutput(of request: CaptureRequest) throws(TranscodeError) -> Int32 {
        request.writesPipe ? try takeStandardOutput() : STDOUT_FILENO
    }

    private func takeStandardOutput() throws(TranscodeError) -> Int32 {
        do throws(SystemError) { return try StandardOutput.take().release() } catch {
            throw TranscodeError(.system, "\(error)")
        }
    }

    /// A driver that never comes back from its next call is known by that.
    private func willUse(_ device: DeviceID) { note(DriverUse(device)) }

    /// A driver that never comes back is at work when all others have ended.
    private func noteWork() {
        let used = driverNotes.inUse
        guard let first = used.first, used.allSatisfy({ $0.device == first.device }) else { return }
        note(DriverUse(first.device, used.count == 1 ? first.stage : nil, isSampled: true))
    }

    private func note(_ use: DriverUse) {
        let isKnown = suspect.withLock { suspect in
            defer { suspect = use }
            return suspect == use
        }
        if !isKnown { channel.send(.using(use)) }
    }

    private func willWrite(_ output: String) { channel.send(.writing(output)) }

    private func compare(_ job: ComparisonJob) throws(TranscodeError) -> ComparisonReport {
        try job.run(on: Backends.software(), cancellation) { event in
            switch event {
            case .frames(let frames): channel.send(.answer(.comparedFrames(frames)))
            case .notice(let notice): channel.send(.transcode(.notice(notice)))
            case .progress(let progress): channel.send(.transcode(.progress(progress)))
            }
        }
    }

    private func list(_ listing: NALDump) throws(TranscodeError) -> TranscodeResult.Outcome {
        let lines = LineBuffer { [channel] in channel.send(.output($0)) }
        defer { lines.flush() }
        return try listing.run { event in
            if case .notice(let notice) = event {
                lines.flush()
                channel.send(.transcode(.notice(notice)))
            } else {
                lines.add(listing.form.text(event))
            }
            return cancellation.reason == nil
        }
    }
}

/// Puts lines together, so that few events carry many of them.
private final class LineBuffer {
    private var text = ""
    private let send: (String) -> Void
    private static let size = 1 << 15

    init(_ send: @escaping (String) -> Void) { self.send = send }

    func add(_ more: String) {
        text += more
        if text.utf8.count >= Self.size { flush() }
    }

    func flush() {
        if !text.isEmpty { send(text) }
        text = ""
    }
}
