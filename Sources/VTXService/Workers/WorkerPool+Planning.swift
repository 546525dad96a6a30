import VTXHTTP
import VTXJSON
import VTXJobs
import VTXMedia
import VTXSystem
import VTXTask

// Steps before the work: finding the source, planning it, and applying the rule that skips sources.
extension WorkerPool {
    func planned(_ job: Job, _ control: RunControl) throws -> Workload {
        if let segment = job.segment { return segment.workload }
        let input = try source(of: job, control)
        let replaced = try replacedFile(of: job, at: input)
        let planned = try look(at: job, input, control)
        try? records.put(planned.document, RecordCollections.plans, job.id.text)
        if let reason = try skipReason(job, planned) { throw Skip(reason: reason) }
        drawSource(of: job, input, planned.document)
        var workload = planned.workload.cut(into: planned.segments)
        workload.replacedSource = replaced
        workload.outputPath = workload.outputName.flatMap { files.outputPath(of: job, replacing: replaced, name: $0) }
        removeStaged(of: job, workload)
        return workload
    }

    /// The settings for planning. If other hosts can access source and output, the job may be divided.
    private func plannedSettings(_ job: Job) throws(Failure) -> [String: JSONValue] {
        var settings = try settings(of: job)
        let isShared = job.specification.input.url == nil && job.specification.output?.url == nil
        let isFile = job.specification.outputForm == .file
        // The worker that searches for a quality encodes everything with it.
        let isDivisible =
            settings[OptionName.copyVideo.rawValue]?.bool != true && settings[OptionName.target.rawValue] == nil
        if segments != nil, isShared, isFile, isDivisible, !job.specification.realTime {
            settings[OptionName.segments.rawValue] = settings[OptionName.segments.rawValue] ?? "auto"
        } else {
            settings[OptionName.segments.rawValue] = nil
        }
        return settings
    }

    private func look(at job: Job, _ input: String, _ control: RunControl) throws -> PlannedWork {
        var planned = try runner.plan(
            MediaWork(
                input: input, output: try plannedOutput(job), settings: try plannedSettings(job),
                workDirectory: try files.makeWorkDirectory(job.id), avoiding: job.avoiding), control)
        if job.specification.output == nil, !job.replacesSource, let path = job.specification.input.path {
            planned.nameOutput(after: path, insteadOf: input)
        }
        return planned
    }

    /// Returns the plan of a job without creating the job.
    func preview(_ specification: JobSpecification) throws(Problem) -> JSONValue {
        guard specification.input.url == nil else {
            throw Problem(
                422, "plan.url", "sources are not fetched for plans", hint: "submit the job, then get its plan")
        }
        var generator = SystemRandomNumberGenerator()
        let job = Job(id: JobID(using: &generator), specification, at: .now)
        defer {
            Directory.removeTree(files.workDirectory(job.id))
            files.discardOutput(of: job)
        }
        do {
            return try limited(to: Self.previewSeconds) { control in
                let input = try source(of: job, control)
                return withNotice(of: job, try look(at: job, input, control), input)
            }
        } catch let failure as Failure {
            throw Problem(failure)
        } catch { throw Problem(503, "plan.time", "the plan was not ready in \(Int(Self.previewSeconds)) seconds") }
    }

    private static let previewSeconds = 60.0

    /// Adds a notice to the plan if the name of the output is taken.
    private func withNotice(of job: Job, _ planned: PlannedWork, _ input: String) -> JSONValue {
        let policy = OverwritePolicy(job.specification.settings)
        let isSource = job.replacesSource && FileName.directory(of: input).name == planned.workload.outputName
        guard policy != .replace, !isSource,
            let place = try? files.output(of: job, name: planned.workload.outputName ?? ""),
            case .below = place.directory, let directory = try? place.open(),
            (try? place.isWanted(.refuse, source: nil, in: directory)) == nil
        else { return planned.document }
        let remedy = job.replacesSource ? "give one of them another name" : "the setting 'overwrite' can be 'replace'"
        let outcome = policy == .skip ? "is skipped" : "fails; \(remedy)"
        let notice: JSONValue = [
            "kind": "output", "code": "output.exists", "message": .string("'\(place.path)' exists: the job \(outcome)"),
        ]
        var members = planned.document.object ?? [:]
        members["notices"] = .array((members["notices"]?.array ?? []) + [notice])
        return .object(members)
    }

    /// Returns the requested name in the resolved directory.
    private func plannedOutput(_ job: Job) throws(Failure) -> String? {
        guard let output = job.specification.output else { return nil }
        if output.url != nil { try files.makeDirectory(of: job) }
        let place = try files.output(of: job, name: "")
        return place.name.isEmpty ? nil : "\(try open(place).path)/\(place.name)"
    }

    private func skipReason(_ job: Job, _ planned: PlannedWork) throws -> String? {
        guard let rule = try rule(of: job) else { return nil }
        let targetCodec = planned.keepsPictures ? planned.targetCodec : nil
        if rule.skips(codec: planned.sourceCodec, targetCodec: targetCodec) {
            return TranscodePlan.reasonToSkip(codec: planned.sourceCodec)
        }
        return rule.reason(expectedRatio: planned.expectedRatio)
    }

    /// Returns what the job's watch folder skipped when it submitted the job.
    func rule(of job: Job) throws -> SkipRule? {
        guard !job.ignoresRules, let name = job.watchFolder else { return nil }
        if let rule = job.skipRule { return rule }
        // An earlier version left the rule to the folder alone.
        let folder: WatchFolder? = try records.record(RecordCollections.watchFolders, name)?.decoded()
        if folder == nil, job.replacesSource {
            throw Skip(reason: "the watch folder '\(name)' was removed, and what it skips is unknown")
        }
        return folder?.skip
    }

    /// Returns the job's settings with the paths of this host.
    func settings(of job: Job) throws(Failure) -> [String: JSONValue] {
        do throws(Problem) { return try files.resolvingFiles(in: job.specification.settings) } catch {
            throw Failure(.source, error.code, error.detail, hint: error.hint)
        }
    }

    /// Returns a file on this host with the source's bytes.
    func source(of job: Job, _ control: RunControl) throws -> String {
        let input = job.specification.input
        if let url = input.url { return try fetched(url, job, control) }
        do {
            let path = try files.source(input, shared: job.specification.shared)
            // A link may lead elsewhere by now.
            if let planned = job.replacedSource, planned != path { throw Failure.changed(planned) }
            return path
        } catch let problem as Problem {
            throw Failure(.source, problem.code, problem.detail, hint: problem.hint)
        }
    }

    private func fetched(_ url: String, _ job: Job, _ control: RunControl) throws -> String {
        let directory = try files.makeSourceDirectory(of: job)
        let attempt = job.attempts.last?.number ?? 1
        var reported = 0.0
        return try transfer.fetch(url, into: directory, attempt: attempt, control) { [loop] bytes in
            guard MonotonicClock.seconds - reported > 1 else { return }
            reported = MonotonicClock.seconds
            loop.send(.progress(job.id, JobProgress(phase: "fetching", frames: 0, bytes: bytes)))
        }
    }
}
