import VTXFFmpeg
import VTXMedia
import VTXTask

/// How the source's clock becomes the output's.
enum TimestampOffsetChoice {
    /// Decoding begins before the first frame is shown, by as many frames as an encoder reorders, and a transport
    /// stream's clock cannot go below zero.
    private static func transportStreamLead(_ frameDuration: Double) -> MediaTime {
        MediaTime(seconds: max(1, (4 * frameDuration).rounded(.up)))
    }
    /// A transport stream that starts later than this shows a broadcast's clock, not a pause.
    private static let arbitraryStart = 10.0

    static func choose(
        _ request: TranscodeRequest, _ source: Source, _ container: Container, _ notes: inout PlanNotes
    ) -> TimestampOffset {
        let rate = request.frameRate ?? FrameRateChoice.of(source.video.info, source.sample).rate
        let lead = transportStreamLead(rate.reciprocal.value)
        let zero = MediaTime(0, MediaTime.microseconds)
        let first = source.demuxer.startTime ?? zero
        let total = source.demuxer.hasExactDuration ? source.demuxer.duration?.seconds : nil
        guard let wanted = request.start else {
            let end = request.duration
            var clock = TimestampOffset(
                offset: zero, seekTarget: nil, start: nil, end: nil,
                expectedSeconds: [total, end].compactMap(\.self).min())
            clock.offset = keepsClock(request, source, container, first, &notes) ? zero : first
            leadIn(&clock, first, container, lead, &notes)
            clock.end = end.map { $0 + first.seconds - clock.offset.seconds }
            return clock
        }
        let origin = MediaTime(first.ticks + MediaTime(seconds: wanted).ticks, MediaTime.microseconds)
        notes.decide("clock", "starts at zero", because: "the output begins \(wanted) s into the source")
        var clock = TimestampOffset(
            offset: origin, seekTarget: origin, start: 0, end: request.duration,
            expectedSeconds: [total.map { max(0, $0 - wanted) }, request.duration].compactMap(\.self).min())
        leadIn(&clock, origin, container, lead, &notes)
        clock.start = origin.seconds - clock.offset.seconds
        clock.end = request.duration.map { $0 + origin.seconds - clock.offset.seconds }
        return clock
    }

    private static func leadIn(
        _ clock: inout TimestampOffset, _ first: MediaTime, _ container: Container, _ lead: MediaTime,
        _ notes: inout PlanNotes
    ) {
        guard container == .ts, first.ticks - clock.offset.ticks < lead.ticks / 2 else { return }
        clock.offset = MediaTime(clock.offset.ticks - lead.ticks, MediaTime.microseconds)
        notes.decide(
            "clock", "everything \(Int(lead.seconds)) s later",
            because: "decoding begins before the first frame is shown, and MPEG-TS has no time below zero")
    }

    private static func keepsClock(
        _ request: TranscodeRequest, _ source: Source, _ container: Container, _ first: MediaTime,
        _ notes: inout PlanNotes
    ) -> Bool {
        if first.ticks == 0 || request.clock == .source { return true }
        let start = "\(Double(Int(first.seconds * 1000)) / 1000) s"
        if request.clock == .zero {
            notes.decide("clock", "starts at zero", because: "asked for; the source's starts at \(start)")
            return false
        }
        // Sound may begin before zero, as a codec's delay; pictures cannot.
        if container == .mkv, let video = source.video.startTime, video < 0 {
            notes.decide("clock", "starts at zero", because: "\(container) has no time before it")
            return false
        }
        if source.demuxer.clockMayJump && first.seconds > arbitraryStart {
            notes.decide("clock", "starts at zero", because: "the source's starts at \(start), a broadcast's clock")
            return false
        }
        notes.decide("clock", "starts at \(start)", because: "the source's does; --clock zero changes it")
        return true
    }
}
