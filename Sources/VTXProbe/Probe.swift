package import VTXLibVA
package import VTXMedia
import VTXSystem
package import VTXTask

/// Probes every device. Drivers are queried and tested in separate processes, because they may crash or hang.
package struct Probe: Sendable {
    /// Loads and queries the drivers of nodes, see `NodeProbe.ask(_:report:)`.
    package typealias Ask = @Sendable (_ nodes: [String]) throws(TranscodeError) -> [NodeProbe]
    /// Interprets the answers, see `Assessment`.
    package typealias Assess = @Sendable ([NodeSurvey]) throws(TranscodeError) -> ProbeReport
    /// Runs one self-test, see `SelfTestCase.run`.
    package typealias Attempt = @Sendable (SelfTestCase) throws(TranscodeError) -> SelfTestResult

    package var ask: Ask
    package var assess: Assess
    /// nil to run no self-tests.
    package var attempt: Attempt?

    /// Measures the load of nodes.
    package var measure: @Sendable ([String]) -> [RenderNodeLoad] = { RenderNodeLoad.measure($0, seconds: 0.1) }

    package init(ask: @escaping Ask, assess: @escaping Assess, attempt: Attempt? = nil) {
        self.ask = ask
        self.assess = assess
        self.attempt = attempt
    }

    /// - Parameter device: The devices to probe; `.auto` for all.
    /// - Throws: if there is no such device.
    package func run(
        device: DeviceSelector = .auto, in system: SystemView = .live
    ) throws(TranscodeError) -> ProbeReport {
        let nodes = try Self.nodes(device, in: system)
        // vtx's own processes do not count, so drivers can be queried meanwhile.
        let loads = Background("load") { [measure] in measure(nodes) }
        let probes = try ask(nodes)
        let answers = zip(nodes, zip(loads.take() ?? [], probes)).map { node, answer in
            NodeSurvey(
                path: node, processes: answer.0.processes, busyPercent: answer.0.busyPercent, probe: answer.1)
        }
        var report = try assess(answers)
        guard let attempt else { return report.judged }
        // Software is tested only if no GPU is named.
        for index in report.devices.indices where device == .auto || report.devices[index].isHardware {
            try report.devices[index].run(attempt)
        }
        return report.judged
    }

    /// Does not load drivers.
    private static func nodes(
        _ device: DeviceSelector, in system: SystemView
    ) throws(TranscodeError) -> [String] {
        let all = RenderNode.all(in: system)
        do throws(NoSuchNode) {
            return try (device == .auto ? all : device.select(from: all)).map(\.path)
        } catch {
            throw TranscodeError(.hardwareDevice, "\(option: .device): \(error)")
        }
    }
}

extension DeviceReport {
    /// Tests everything that vtx would use.
    fileprivate mutating func run(_ attempt: Probe.Attempt) throws(TranscodeError) {
        for index in rows.indices where rows[index].isUsed {
            rows[index].trial = try attempt(SelfTestCase(device: device, .row(rows[index])))
        }
        guard let able = processing else { return }
        processing?.trial = try attempt(SelfTestCase(device: device, .processing))
        if able.toneMapping.contains(ToneMappings.hdrToSDR.description) {
            processing?.toneMappingTrial = try attempt(SelfTestCase(device: device, .toneMapping))
        }
    }
}

extension NodeProbe {
    /// Loads the driver of a render node and queries everything. The driver may crash or hang.
    ///
    /// - Parameter report: Receives the answers before the driver is closed, which may also crash.
    package static func ask(_ path: String, report: (NodeProbe) -> Void) {
        guard let node = RenderNode.all().first(where: { $0.path == path }) else {
            return report(
                NodeProbe(problems: [ProbeProblem(kind: "nodeGone", message: "\(path) has disappeared")]))
        }
        NodeReport.probing(node, with: .standard) { report(NodeProbe($0)) }
    }

    private init(_ report: NodeReport) {
        self.init(answers: report.answers?.text, problems: report.diagnoses.map(ProbeProblem.init))
    }
}

extension ProbeProblem {
    package init(_ diagnosis: Diagnosis) {
        self.init(kind: diagnosis.kind.rawValue, message: diagnosis.sentence, hint: diagnosis.hint)
    }
}

/// The render nodes of GPUs that are not used, as recorded by `DriverHistory`.
package struct QuarantinedNodes {
    /// The current nodes.
    private let nodes = RenderNode.all()

    package init() {}

    /// Makes this process avoid the GPU.
    ///
    /// - Parameter keeps: Whether other processes also avoid it.
    package func note(_ failure: DriverFailure, keeps: Bool) {
        guard let device = failure.device, let node = node(device.name) else { return }
        let quarantine = DriverHistory.shared.makeQuarantine(
            failure.isHang ? .hung : .crashed, failure.symptom, failure.isWhileAsked ? .asked : .working)
        DriverHistory.shared.note(quarantine, of: node, keeps: keeps)
    }

    /// Records that the driver has answered.
    package func noteAnswer(of device: String) { node(device).map { DriverHistory.shared.noteAnswer(of: $0) } }

    /// Returns the answer to report instead of querying the driver; nil if the driver may be queried.
    package func answer(for device: String) -> NodeProbe? {
        node(device).flatMap { node in
            DriverHistory.shared.quarantine(of: node).map { quarantine in
                NodeProbe(problems: [
                    ProbeProblem(
                        kind: quarantine.kind == .hung ? "driverHung" : "driverCrashed",
                        message: "\(device): \(DriverHistory.shared.sentence(quarantine))",
                        hint: DriverQuarantine.hint)
                ])
            }
        }
    }

    private func node(_ device: String) -> RenderNode? { nodes.first { $0.path == device } }
}
