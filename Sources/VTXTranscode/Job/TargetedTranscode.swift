import VTXJournal
import VTXMedia
import VTXSession
import VTXSystem
package import VTXTask

// A transcode whose quality, or bit rate, has to be found first.
extension TranscodeJob {
    /// Inspects the source and returns the plan. Writes nothing.
    package func plan() throws(TranscodeError) -> TranscodePlan {
        var (request, failures) = (request, HardwareFailures(driverFailures))
        while true {
            var prepared = try prepare(request, after: failures)
            try setLoudness(of: &prepared, request)
            if let target = request.wantedTarget {
                try findQuality(for: target, prepared, &request, &failures)
            } else if let size = request.targetSize, request.bitrate == nil,
                let seconds = prepared.plan.timestamps.expectedSeconds
            {
                // As if the video were alone: what is beside it is known after a whole pass.
                request.bitrate = SizeSearch.bitrate(for: Double(size), seconds: seconds)
            } else {
                return prepared.plan.decidingToSkip(self.request)
            }
        }
    }

    /// Sets the request's quality, or leaves it unset if a GPU failed: repeat the search without it.
    func findQuality(
        for target: QualityTarget, _ prepared: PreparedTranscode, _ request: inout TranscodeRequest,
        _ failures: inout HardwareFailures
    ) throws(TranscodeError) {
        if let then = journaledEncoding(for: target, of: prepared.plan),
            case .quality(let quality, _) = then.encoder.rateControl
        {
            (request.quality, request.segmentQualities) = (quality, then.segmentQualities)
            return
        }
        let search = TargetSearch(
            target, self.request, prepared, backends: backends, after: failures, cancellation: cancellation,
            report: report)
        guard let found = try searching(prepared, &failures, { try search.find() }) else { return }
        report([found.notice])
        (request.quality, request.segmentQualities) = (found.quality, found.ofSegments)
    }

    /// Prepares the first output of a target size: plans in order to find the duration, and runs once to count.
    ///
    /// - Returns: true if that is done and the request has its bit rate.
    func findRate(
        for size: Int, _ prepared: PreparedTranscode, _ request: inout TranscodeRequest,
        _ failures: inout HardwareFailures
    ) throws(TranscodeError) -> Bool {
        if sizeSearch.withLock({ $0 }) != nil { return true }
        guard request.bitrate != nil else {
            let seconds = prepared.plan.timestamps.expectedSeconds
            request.bitrate = seconds.map { SizeSearch.bitrate(for: Double(size), seconds: $0) } ?? 2_000_000
            request.pass = EncodingPass(.first, statistics: try statisticsPath())
            return false
        }
        let search = RateSearch(size, prepared, cancellation, report)
        if let found = try searching(prepared, &failures, { try search.find() }) {
            report([found.notice])
            sizeSearch.withLock { $0 = found }
            request.bitrate = found.bitrate
            // A GPU writes nothing down.
            let isSoftware = prepared.encoding.map { !$0.stages.sessions.encoding.capabilities.isHardware } ?? false
            request.pass = request.pass.flatMap { isSoftware ? $0.next : nil }
        }
        return false
    }

    /// Runs the first of two passes, or leaves it to be run again if a GPU failed at decoding or filtering.
    func makeFirstPass(
        _ request: inout TranscodeRequest, _ failures: inout HardwareFailures
    ) throws(TranscodeError) {
        var first = request.ofVideoAlone
        let pass = EncodingPass(.first, statistics: try statisticsPath())
        first.pass = pass
        let prepared = try prepare(first, after: failures)
        let run = DryRun(prepared, cancellation)
        guard try searching(prepared, &failures, { try run.run(report) }) != nil else { return }
        request.pass = pass.next
    }

    private func statisticsPath() throws(TranscodeError) -> String {
        do throws(SystemError) {
            let made = try PassStatistics()
            statistics.withLock { $0 = made }
            return made.path
        } catch { throw TranscodeError(.system, "\(error)") }
    }

    private func searching<Found>(
        _ prepared: PreparedTranscode, _ failures: inout HardwareFailures, _ search: () throws -> Found
    ) throws(TranscodeError) -> Found? {
        do { return try search() } catch {
            let explained = explain(error, prepared.plan)
            guard let failure = error as? HardwareFailure, cancellation.reason == nil else { throw explained }
            try checkRetry(failure, explained, after: failures)
            failures.note(failure)
            return nil
        }
    }

    /// Returns the encoding of an earlier run: a search may differ in its last half step, but a journal requires the
    /// same qualities.
    private func journaledEncoding(for target: QualityTarget, of plan: TranscodePlan) -> VideoEncoding? {
        guard let then = journaledPlan(for: plan.output)?.video.encoding, then.target == target else { return nil }
        return then
    }

    /// Returns the plan of an earlier run from which this one may resume.
    func journaledPlan(for output: String) -> TranscodePlan? {
        guard let journal = request.journal, !journal.startsOver,
            case let path = journal.path(for: output), JournalDirectory.exists(path),
            let directory = try? JournalDirectory.open(path, timeout: .worker)
        else { return nil }
        return try? JournalHeader<JournaledTask>.read(from: directory).task.plan
    }
}

extension TranscodePlan {
    /// Returns the plan with the decision to skip its source, if that is made.
    fileprivate func decidingToSkip(_ request: TranscodeRequest) -> TranscodePlan {
        guard let reason = reasonToSkip(request) else { return self }
        var plan = self
        plan.decisions.append(Decision("source", "skipped", because: Message(reason)))
        return plan
    }
}

extension TranscodeRequest {
    /// The target, until its quality has been found.
    var wantedTarget: QualityTarget? { quality == nil ? target : nil }
}
