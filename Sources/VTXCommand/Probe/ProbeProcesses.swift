import Glibc
import VTXMedia
import VTXProbe
import VTXSystem
import VTXTask
import VTXWorker

/// Runs tasks that may crash in separate processes: querying and testing drivers.
struct ProbeProcesses: Sendable {
    /// The program that queries a driver.
    var driver: Launch
    /// The program that tests it.
    var worker: Launch
    /// The timeout for an inactive process; nil for none.
    var seconds: Double?
    /// The cached interpretation of drivers' answers, read while they are queried.
    private let assessments: WorkerAnswerFile<ProbeReport>?
    private let known: Background<WorkerAnswerFile<ProbeReport>.Content?>
    /// A signal stops everything.
    let stops: Locked<StopSignalDescriptor>

    init(driver: Launch, worker: Launch, seconds: Double?) throws(SystemError) {
        self.driver = driver
        self.worker = worker
        self.seconds = seconds
        let assessments = WorkerAnswerFile.assessment(by: worker.executable)
        self.assessments = assessments
        known = Background("assessment") { assessments?.read() }
        stops = Locked(try StopSignalDescriptor())
    }

    /// Uses the programs installed with this one.
    static func live() throws(TranscodeError) -> ProbeProcesses {
        // A few frames take less time than a whole clip.
        let text = getenv(DriverTimeout.variable).map { String(cString: $0) } ?? "10"
        let seconds = try DriverTimeout.seconds(text)
        do throws(SystemError) {
            return try ProbeProcesses(
                driver: try .installed("vtx-driver"), worker: try .worker(), seconds: seconds)
        } catch {
            throw TranscodeError(.workerStart, "vtx cannot start its worker: \(error)")
        }
    }

    private func answers(
        _ launch: Launch, _ tasks: [WorkerTask]
    ) throws(TranscodeError) -> [WorkerQuery.Answer] {
        let queries = tasks.map { WorkerQuery(launch, $0, seconds: seconds) }
        let answers = stops.withLock { WorkerQuery.run(queries, &$0) }
        for case .failure(.stopped(let reason)) in answers { throw .stopped(reason) }
        return answers
    }
}

extension ProbeProcesses {
    /// Queries drivers, except those with a recorded fault, which is reported instead.
    func askUnlessFaulty(_ nodes: [String]) throws(TranscodeError) -> [NodeProbe] {
        let memory = QuarantinedNodes()
        let known = nodes.map(memory.answer)
        var asked = try ask(zip(nodes, known).filter { $1 == nil }.map(\.0), memory)[...]
        return known.map { $0 ?? asked.removeFirst() }
    }

    /// Queries all in parallel, and records faults.
    func ask(_ nodes: [String]) throws(TranscodeError) -> [NodeProbe] { try ask(nodes, QuarantinedNodes()) }

    private func ask(_ nodes: [String], _ memory: QuarantinedNodes) throws(TranscodeError) -> [NodeProbe] {
        let answers = try answers(driver, nodes.map(WorkerTask.askDriver))
        return zip(nodes, answers).map { memory.probe(of: $0, $1) }
    }
}

extension QuarantinedNodes {
    fileprivate func probe(of node: String, _ answer: WorkerQuery.Answer) -> NodeProbe {
        switch answer {
        case .success(.driver(let answer)):
            noteAnswer(of: node)
            return answer
        case .success: return NodeProbe(problems: [])
        case .failure(let failure):
            failure.fault(of: node).map { note($0, keeps: true) }
            let problem = ProbeProblem(
                kind: failure.isHang ? "driverHung" : "driverCrashed",
                message: "\(node): \(failure.words("the VA driver")) during a capability query",
                hint: "update the driver, and report this to its developers; until then, vtx uses software")
            return NodeProbe(problems: [problem])
        }
    }
}

extension ProbeProcesses {
    func assess(_ answers: [NodeSurvey]) throws(TranscodeError) -> ProbeReport {
        if let report = assessments?.report(of: answers, in: known.take() ?? nil) { return report }
        switch try self.answers(worker, [.assess(answers)])[0] {
        case .success(.assessed(let report)):
            assessments?.keep(report, of: answers)
            return report
        case .success: throw TranscodeError(.internal, "the worker has no answer")
        case .failure(let failure):
            throw TranscodeError(.workerCrashed, Message(failure.words("the process that assesses drivers")))
        }
    }

    func libraries() throws(TranscodeError) -> [LibraryVersion] {
        if case .success(.versions(let libraries)) = try answers(worker, [.versions])[0] { libraries } else { [] }
    }

    func attempt(_ test: SelfTestCase) throws(TranscodeError) -> SelfTestResult {
        switch try answers(worker, [.selfTest(test)])[0] {
        case .success(.selfTest(let result)): result
        case .success: SelfTestResult(.skipped)
        case .failure(let failure):
            SelfTestResult(failure.isHang ? .hung : .crashed, evidence: failure.words("the driver"))
        }
    }

    /// Creates and removes the clip here, because the worker may crash.
    func transcode(_ device: String?, _ codec: VideoCodec) throws(TranscodeError) -> TranscodeReport {
        let clip: TestTranscodeClip
        do throws(TranscodeError) { clip = try TestTranscodeClip() } catch { return TranscodeReport(error) }
        defer { clip.remove() }
        let test = SelfTestTranscode(clip, device: device, codec: codec)
        switch try answers(worker, [.selfTestTranscode(test)])[0] {
        case .success(.selfTestTranscode(let report)): return report
        case .success: return TranscodeReport()
        case .failure(let failure):
            let who = device == nil ? "the process" : "the driver"
            return TranscodeReport(
                TranscodeError(device == nil ? .doctorSoftware : .doctorHardware, Message(failure.words(who))))
        }
    }
}

extension WorkerQuery.Failure {
    /// `the driver aborted (SIGABRT)`.
    func words(_ who: String) -> String {
        switch self {
        case .ended(let ending): "\(who) \(ending.words)"
        case .hung(let seconds): "\(who) did not respond within \(Format.tenths(seconds)) s"
        case .stopped: "\(who) was stopped"
        case .notStarted(let error): "the process for it could not be started: \(error)"
        }
    }

    /// nil if no driver caused it.
    fileprivate func fault(of node: String) -> DriverFailure? {
        switch self {
        case .ended(let ending) where ending.isCrash || ending.isExit:
            DriverFailure(node, "\(ending.words) while vtx probed it", isHang: false)
        case .hung(let seconds):
            DriverFailure(
                node, "did not respond within \(Format.tenths(seconds)) s while vtx probed it", isHang: true)
        case .ended, .stopped, .notStarted: nil
        }
    }

    var isHang: Bool { if case .hung = self { true } else { false } }
}

extension DriverFailure {
    fileprivate init(_ node: String, _ symptom: String, isHang: Bool) {
        self.init(device: DeviceID(node), symptom: symptom, isHang: isHang, isWhileAsked: true)
    }
}
