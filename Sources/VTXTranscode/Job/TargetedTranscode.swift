import VTXJournal
import VTXMedia
import VTXSystem
package import VTXTask

// A transcode whose quality has to be found first.
extension TranscodeJob {
    /// Looks at the source and decides; writes nothing.
    package func plan() throws(TranscodeError) -> TranscodePlan {
        var (request, faults) = (request, HardwareFailures(drivers: drivers))
        while true {
            let prepared = try TranscodePreparation(request, backends: backends, after: faults).prepare()
            guard let target = request.wantedTarget else { return prepared.plan }
            request.quality = try findQuality(for: target, prepared, &faults)
        }
    }

    /// - Returns: nil where a GPU has failed: the search is to begin again without it.
    func findQuality(
        for target: QualityTarget, _ prepared: PreparedTranscode, _ faults: inout HardwareFailures
    ) throws(TranscodeError) -> Quality? {
        if let quality = journaledQuality(for: target, of: prepared.plan) { return quality }
        let search = TargetSearch(
            target, request, prepared, backends: backends, after: faults, cancellation: cancellation, report: report)
        do {
            let found = try search.find()
            report([found.notice])
            return found.quality
        } catch {
            let explained = explain(error, prepared.plan)
            guard let fault = error as? HardwareFailure, cancellation.reason == nil else { throw explained }
            try checkRetry(fault, explained, after: faults)
            faults.note(fault)
            return nil
        }
    }

    /// What an earlier run has found: a search need not find the same to the last half step, and a journal has to.
    private func journaledQuality(for target: QualityTarget, of plan: TranscodePlan) -> Quality? {
        guard let journal = request.journal, !journal.startsOver,
            case let path = journal.path(for: plan.output), JournalDirectory.exists(path),
            let directory = try? JournalDirectory.open(path, timeout: .worker),
            let then = try? JournalHeader<JournaledTask>.read(from: directory).task.plan.video.encoding,
            then.target == target, case .quality(let quality, _) = then.encoder.rateControl
        else { return nil }
        return quality
    }
}

extension TranscodeRequest {
    /// While its quality has not been found.
    var wantedTarget: QualityTarget? { quality == nil ? target : nil }
}
