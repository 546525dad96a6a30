import VTXLibVA
package import VTXMedia
import VTXSession
import VTXSoftware
package import VTXTask
import VTXTranscode
import VTXVAAPI

/// Looks at every device. Drivers are asked and tried by others, in processes that may crash or hang.
package struct Probe: Sendable {
    /// Has nodes' drivers loaded and asked, see `NodeProbe.init(asking:)`.
    package typealias Ask = @Sendable (_ nodes: [String]) throws(TranscodeError) -> [NodeProbe]
    /// Tries one row of a device, see `SelfTestCase.run`.
    package typealias Attempt = @Sendable (SelfTestCase) throws(TranscodeError) -> SelfTestResult

    package var ask: Ask
    /// nil where nothing is to be tried.
    package var attempt: Attempt?

    /// How busy nodes are.
    var measure: @Sendable ([String]) -> [RenderNodeLoad] = { RenderNodeLoad.measure($0, seconds: 0.1) }

    package init(ask: @escaping Ask, attempt: Attempt? = nil) {
        self.ask = ask
        self.attempt = attempt
    }

    /// - Parameter device: `.auto` for all, or which ones.
    /// - Throws: where no such device is there.
    package func run(device: DeviceSelector = .auto) throws(TranscodeError) -> ProbeReport {
        try run(device: device, in: .live)
    }

    func run(device: DeviceSelector, in system: SystemView) throws(TranscodeError) -> ProbeReport {
        let nodes = try Self.nodes(device, in: system)
        // Before anything of vtx's opens them.
        let loads = measure(nodes.map(\.path))
        let answers = try ask(nodes.map(\.path))
        let probed = zip(nodes, zip(loads, answers)).map { ProbedNode($0, $1.0, $1.1) }
        var devices = probed.map(\.report) + [.software]
        if let attempt { for index in devices.indices { try devices[index].run(attempt) } }
        let problems = nodes.isEmpty ? [Problem(diagnoseNoNode(in: system))] : []
        return ProbeReport(devices: devices, problems: problems, choices: Self.choices(probed)).judged
    }

    /// No driver is loaded for that.
    private static func nodes(
        _ device: DeviceSelector, in system: SystemView
    ) throws(TranscodeError) -> [RenderNode] {
        let all = RenderNode.all(in: system)
        guard device != .auto else { return all }
        do throws(NoSuchNode) {
            return try device.select(from: all)
        } catch {
            throw TranscodeError(.hardwareDevice, "\(option: .device): \(error)")
        }
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

/// A render node with what its driver answered.
struct ProbedNode: Sendable {
    let node: RenderNode
    let answers: DriverCapabilities?
    let matrix: CapabilityMatrix?
    private let load: RenderNodeLoad
    private let problems: [Problem]

    init(_ node: RenderNode, _ load: RenderNodeLoad, _ answer: NodeProbe) {
        self.node = node
        self.load = load
        answers = answer.answers.flatMap { try? DriverCapabilities(text: $0) }
        matrix = answers.map {
            VAAPICapabilities.matrix(of: node, $0, load: load.rank)
        }
        problems = answer.problems
    }

    var report: DeviceReport { DeviceReport(node, answers, matrix, load, problems) }

    /// How an encoder for an ordinary clip is opened.
    func firstAttempt(_ codec: VideoCodec) -> EncodingMode? {
        let configuration = EncoderConfiguration(
            codec: codec, profile: codec == .h264 ? .high : .hevcMain, size: PixelSize(1920, 1080),
            pixelFormat: .planar(.yuv420, bitDepth: 8), timeBase: Rational(1, 25), frameRate: Rational(25, 1),
            rateControl: .quality(.standard), maxKeyFrameInterval: 125)
        return answers.flatMap { VAAPICapabilities.firstAttempt(configuration, $0) }
    }
}

/// The GPUs as they answered: enough to choose one, not to use it.
struct ProbedBackend: VideoBackend {
    let nodes: [ProbedNode]
    let isHardware = true

    func probe() -> [CapabilityMatrix] { nodes.compactMap(\.matrix).filter(\.codesVideo) }

    func openSession(on device: DeviceID) throws(SessionError) -> any DeviceSession {
        throw SessionError(.invalidSession, "\(device.name) was only asked what it can do")
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
