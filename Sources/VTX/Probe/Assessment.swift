package import VTXLibVA
import VTXMedia
import VTXProbe
import VTXSession
import VTXSoftware
package import VTXTask
import VTXTranscode
import VTXVAAPI

/// Interprets the drivers' capabilities for vtx. Loads no driver.
package enum Assessment {
    package static func report(of answers: [NodeSurvey], in system: SystemView = .live) -> ProbeReport {
        let known = RenderNode.all(in: system)
        let probed = answers.compactMap { answer in
            known.first { $0.path == answer.path }.map { ProbedNode($0, answer) }
        }
        let problems = answers.isEmpty ? [ProbeProblem(diagnoseNoNode(in: system))] : []
        return ProbeReport(
            devices: probed.map(\.report) + [.software], problems: problems, choices: choices(probed))
    }

    private static func choices(_ nodes: [ProbedNode]) -> [ProbeChoice] {
        let backends: [any VideoBackend] = [ProbedBackend(nodes: nodes), SoftwareBackend()]
        return [nil, VideoCodec.hevc, .h264].compactMap { codec in
            var request = TranscodeRequest(input: "")
            request.codec = codec
            guard let decision = try? DeviceDecision(request, backends: backends) else { return nil }
            var choice = ProbeChoice(codec, decision)
            let node = nodes.first { $0.node.path == choice.device }
            let mode = node?.firstAttempt(decision.codec)
            (choice.entrypoint, choice.rateControl) = (mode?.entrypoint, mode?.rateControl)
            return choice
        }
    }
}

/// A render node with the capabilities that its driver reported.
struct ProbedNode: Sendable {
    let node: RenderNode
    let answers: DriverCapabilities?
    let matrix: CapabilityMatrix?
    private let load: RenderNodeLoad
    private let problems: [ProbeProblem]

    init(_ node: RenderNode, _ answer: NodeSurvey) {
        self.node = node
        load = RenderNodeLoad(processes: answer.processes, busyPercent: answer.busyPercent)
        answers = answer.probe.answers.flatMap { try? DriverCapabilities(text: $0) }
        let rank = load.rank
        matrix = answers.map { VAAPICapabilities.matrix(of: node, $0, load: rank) }
        problems = answer.probe.problems
    }

    var report: DeviceReport { DeviceReport(node, answers, matrix, load, problems) }

    /// Returns how an encoder for a typical video is opened.
    func firstAttempt(_ codec: VideoCodec) -> EncodingMode? {
        let configuration = EncoderConfiguration(
            codec: codec, profile: codec == .h264 ? .high : .hevcMain, size: PixelSize(1920, 1080),
            pixelFormat: .planar(.yuv420, bitDepth: 8), timeBase: Rational(1, 25), frameRate: Rational(25, 1),
            rateControl: .quality(.standard), maxKeyFrameInterval: 125)
        return answers.flatMap { VAAPICapabilities.firstAttempt(configuration, $0) }
    }
}

/// A backend of the probed GPUs: for choosing a device, not for using it.
struct ProbedBackend: VideoBackend {
    let nodes: [ProbedNode]
    let isHardware = true

    func probe() -> [CapabilityMatrix] { nodes.compactMap(\.matrix).filter(\.codesVideo) }

    func openSession(on device: DeviceID) throws(SessionError) -> any DeviceSession {
        throw SessionError(.invalidSession, "\(device.name) was only queried for its capabilities")
    }
}

extension ProbeChoice {
    fileprivate init(_ codec: VideoCodec?, _ decision: DeviceDecision) {
        self.init(
            options: codec.map { "\(option: .codec, $0.rawValue)" } ?? "", codec: decision.codec.rawValue,
            codecReason: decision.codecReason, device: decision.device.name, deviceName: decision.deviceName,
            isHardware: decision.isHardware, deviceReason: decision.deviceReason)
    }
}
