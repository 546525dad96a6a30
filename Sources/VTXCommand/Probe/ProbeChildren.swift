import FoundationEssentials
import Glibc
import VTX
import VTXMedia
import VTXTranscode
import VTXSystem

/// Has children do what may bring a process down, one after the other.
struct ProbeChildren: Sendable {
    var launch: WorkerLaunch
    /// A child that does nothing for so long counts as hanging.
    var seconds: Double
    /// What has to be cleared away when all this is stopped.
    let clip = Locked<TestTranscodeClip?>(nil)
    /// Measured before they began; nil where that is still to be done.
    private(set) var loads: NodeLoads?
    /// Those that ask a node's driver already.
    private let asking = Locked<[String: WorkerProcess]>([:])

    init(launch: WorkerLaunch, seconds: Double) {
        self.launch = launch
        self.seconds = seconds
    }

    /// How it went with a child that has no answer.
    enum Failure: Error, Hashable {
        case ended(ProcessEnding)
        case hung(seconds: Double)
        case notStarted(SystemError)

        /// `the driver aborted (SIGABRT)`.
        func words(_ who: String) -> String {
            switch self {
            case .ended(let ending): "\(who) \(ending.words)"
            case .hung(let seconds): "\(who) did not come back within \(Format.tenths(seconds)) s"
            case .notStarted(let error): "the process for it could not be started: \(error)"
            }
        }
    }

    /// An answer that came whole counts, however the child ended after it.
    func run<Answer: Decodable>(_ task: ProbeTask, for _: Answer.Type = Answer.self) throws(Failure) -> Answer {
        let (reports, outcome) = try outcome(of: task)
        if let answer = try? JSONDecoder().decode(Answer.self, from: Data(reports)) { return answer }
        switch outcome {
        case .ended(let ending): throw .ended(ending)
        case .timedOut: throw .hung(seconds: seconds)
        }
    }

    private func outcome(of task: ProbeTask) throws(Failure) -> (reports: [UInt8], outcome: WorkerProcess.Outcome) {
        if case .ask(let node) = task, let child = asking.withLock({ $0.removeValue(forKey: node) }) {
            return child.outcome(seconds: seconds)
        }
        var launch = launch
        launch.environment[ProbeTask.variable] = (try? JSONEncoder().encode(task)).map {
            String(decoding: $0, as: UTF8.self)
        }
        do { return try WorkerProcess.run(launch, seconds: seconds) } catch { throw .notStarted(error) }
    }

    /// Has all nodes' drivers asked at the same time, by doubles of this process: each spares the loading of two hundred
    /// libraries. A process that has other threads cannot be doubled; then children are started when they are needed.
    mutating func begin(_ device: DeviceSelector) {
        guard ThreadCount.ofThisProcess == 1 else { return }
        let loads = NodeLoads(device)
        self.loads = loads
        for node in loads.nodes where DriverMemory.answer(for: node) == nil {
            do {
                if let child = try WorkerProcess.double() {
                    asking.withLock { $0[node] = child }
                } else if let link = WorkerLink.own {
                    exit(ProbeTask.ask(node).perform(link).rawValue)
                }
            } catch { return }
        }
    }
}

extension ProbeChildren {
    /// What a driver did the last time is told in place of asking it.
    func askUnlessFaulty(_ node: String) -> NodeProbe { DriverMemory.answer(for: node) ?? ask(node) }

    /// What it does now is remembered.
    func ask(_ node: String) -> NodeProbe {
        do throws(Failure) {
            let answer: NodeProbe = try run(.ask(node))
            DriverMemory.forget(node)
            return answer
        } catch {
            let kind = error.isHang ? "driverHung" : "driverCrashed"
            error.fault(of: node).map(DriverMemory.note)
            let problem = Problem(
                kind: kind, message: "\(node): \(error.words("the VA driver")) while it was asked what it can do",
                hint: "update the driver, and report this to its makers; vtx works in software meanwhile")
            return NodeProbe(problems: [problem])
        }
    }

    func attempt(_ task: SelfTestCase) -> SelfTestResult {
        do throws(Failure) { return try run(.attempt(task)) } catch {
            return SelfTestResult(error.isHang ? .hung : .crashed, evidence: error.words("the driver"))
        }
    }
}

extension ProbeChildren.Failure {
    /// nil where no driver is to blame.
    fileprivate func fault(of node: String) -> DriverMemory.Fault? {
        switch self {
        case .ended(let ending) where ending.isCrash || ending.isExit:
            DriverMemory.Fault(node, "\(ending.words) while vtx looked at it", isHang: false, isWhileAsked: true)
        case .hung(let seconds):
            DriverMemory.Fault(
                node, "did not come back within \(Format.tenths(seconds)) s while vtx looked at it", isHang: true,
                isWhileAsked: true)
        case .ended, .notStarted: nil
        }
    }

    var isHang: Bool { if case .hung = self { true } else { false } }
}
