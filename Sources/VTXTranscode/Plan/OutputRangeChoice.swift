import VTXFFmpeg
import VTXMedia
import VTXTask

/// Decides where the output's timestamps start, and which part of the source it contains.
struct OutputRangeChoice {
    private let request: TranscodeRequest
    private let source: Source
    private let container: Container
    /// The earliest display time, in microseconds. May be negative: libavformat counts down to a wrap in the first
    /// minute (C: `AV_PTS_WRAP_SUB_OFFSET`).
    private let first: Int64
    /// The same by the source's own counter.
    private let start: Int64

    static func choose(
        _ request: TranscodeRequest, _ source: Source, _ container: Container, _ notes: inout PlanNotes
    ) -> OutputRange {
        OutputRangeChoice(request, source, container).choose(&notes)
    }

    private init(_ request: TranscodeRequest, _ source: Source, _ container: Container) {
        self.request = request
        self.source = source
        self.container = container
        first = source.demuxer.startTime?.ticks ?? 0
        let period = source.video.timestampPeriod?.rescaled(to: MediaTime.microseconds).ticks
        start = first < 0 ? first + (period ?? 0) : first
    }

    private func choose(_ notes: inout PlanNotes) -> OutputRange {
        if source.isJoined {
            let count = request.appended.count + 1
            notes.decide("input", "\(count) files, joined", because: "requested")
        }
        let total = source.exactSeconds
        let begin = MediaTime(first + MediaTime(seconds: request.start ?? 0).ticks, MediaTime.microseconds)
        var range = OutputRange(offset: MediaTime(offset(&notes), MediaTime.microseconds))
        range.expectedSeconds = [total.map { max(0, $0 - (request.start ?? 0)) }, request.duration]
            .compactMap(\.self).min()
        if request.start != nil { range.seekTarget = begin }
        makeRoom(in: &range, before: begin, &notes)
        if request.start != nil { range.start = begin.seconds - range.offset.seconds }
        range.end = request.duration.map { $0 + begin.seconds - range.offset.seconds }
        return range
    }

    private func offset(_ notes: inout PlanNotes) -> Int64 {
        func startAtZero(because reason: Message) { notes.decide("timestamps", "start at zero", because: reason) }
        if let wanted = request.start {
            startAtZero(because: "the output begins \(wanted) s into the source")
            return first + MediaTime(seconds: wanted).ticks
        }
        if isAtZero { return 0 }
        let seconds = "\(Double(start / 1000) / 1000) s"
        if request.timestamps == .zero {
            startAtZero(because: "requested; the source's start at \(seconds)")
        } else if start < 0 {
            startAtZero(because: "the source's start at \(seconds), and \(container) has no negative timestamps")
        } else if request.timestamps == .auto, source.demuxer.hasDiscontinuities {
            startAtZero(because: "the source's start at \(seconds): they are arbitrary in its container")
        } else {
            notes.decide(
                "timestamps", "start at \(seconds)",
                because: request.timestamps == .source ? "requested" : "the source's do")
            return first - start
        }
        return first
    }

    /// Whether the source starts at zero. Audio just before zero is encoder delay, which is not heard.
    private var isAtZero: Bool {
        let delay = MediaTime(seconds: OutputRange.preroll).ticks
        return start == 0 || (-delay..<0).contains(start) && source.video.startTime ?? 0 >= 0
    }

    /// Shifts the start in MPEG-TS, which has no negative timestamps: decoding begins before the first frame is shown,
    /// by the number of frames that an encoder reorders.
    private func makeRoom(in range: inout OutputRange, before begin: MediaTime, _ notes: inout PlanNotes) {
        let rate = request.frameRate ?? FrameRateChoice.of(source).rate
        let lead = MediaTime(seconds: max(1, (4 * rate.reciprocal.value).rounded(.up)))
        guard container == .ts, begin.ticks - range.offset.ticks < lead.ticks / 2 else { return }
        range.offset.ticks -= lead.ticks
        notes.decide(
            "timestamps", "\(Int(lead.seconds)) s later",
            because: "decoding begins before the first frame is shown, and MPEG-TS has no negative timestamps")
    }
}
