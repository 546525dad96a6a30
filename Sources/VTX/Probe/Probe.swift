import VTXLibVA
package import VTXMedia
import VTXSession
import VTXSoftware
package import VTXTask
package import VTXTranscode
import VTXVAAPI

/// Looks at every device. Drivers are asked and tried by others, in processes that may crash or hang.
package struct Probe: Sendable {
    /// Loads a render node's driver and asks it, see `NodeProbe.init(asking:)`.
    package var ask: @Sendable (_ node: String) -> NodeProbe
    /// Tries one row of a device, see `SelfTestCase.run`; nil where nothing is to be tried.
    package var attempt: (@Sendable (SelfTestCase) -> SelfTestResult)?

    /// How busy nodes are.
    var measure: @Sendable ([String]) -> [RenderNodeLoad] = { RenderNodeLoad.measure($0, seconds: 0.1) }

    package init(
        ask: @escaping @Sendable (String) -> NodeProbe, attempt: (@Sendable (SelfTestCase) -> SelfTestResult)? = nil,
        loads: NodeLoads? = nil
    ) {
        self.ask = ask
        self.attempt = attempt
        if let loads { measure = { nodes in nodes.map { loads[$0] } } }
    }

    /// - Parameter device: `.auto` for all, or which ones.
    /// - Throws: where no such device is there.
    package func run(device: DeviceSelector = .auto) throws(TranscodeError) -> ProbeReport {
        try run(device: device, in: .live)
    }

    func run(device: DeviceSelector, in system: SystemView) throws(TranscodeError) -> ProbeReport {
        let nodes = try Self.nodes(device, in: system)
        let loads = measure(nodes.map(\.path))
        let probed = zip(nodes, loads).map { ProbedNode($0, $1, ask($0.path)) }
        var devices = probed.map(\.report) + [.software]
        if let attempt { devices = devices.map { $0.tried(by: attempt) } }
        let problems = nodes.isEmpty ? [Problem(diagnoseNoNode(in: system))] : []
        return ProbeReport(devices: devices, problems: problems, choices: Self.choices(probed)).judged
    }

    /// No driver is loaded for that.
    fileprivate static func nodes(
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
            var choice = ProbeChoice(options: codec.map { "\(option: .codec, $0.rawValue)" } ?? "", decision)
            let node = nodes.first { $0.node.path == choice.device }
            let mode = node?.firstAttempt(decision.codec)
            (choice.entrypoint, choice.rateControl) = (mode?.entrypoint, mode?.rateControl)
            return choice
        }
    }
}

/// How busy the render nodes are that are meant, measured before children of this process open them.
package struct NodeLoads: Sendable {
    private let loads: [String: RenderNodeLoad]

    package init(_ device: DeviceSelector) {
        let nodes = ((try? Probe.nodes(device, in: .live)) ?? []).map(\.path)
        loads = Dictionary(zip(nodes, RenderNodeLoad.measure(nodes, seconds: 0.1))) { first, _ in first }
    }

    package var nodes: [String] { loads.keys.sorted() }

    subscript(node: String) -> RenderNodeLoad { loads[node] ?? RenderNodeLoad(processes: 0) }
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
