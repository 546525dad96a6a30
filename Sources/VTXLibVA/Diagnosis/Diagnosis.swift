package import VTXMedia

/// Why a GPU is limited or unusable, and the remedy.
package struct Diagnosis: Sendable, Hashable {
    /// For programs; the names are stable.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case noDeviceDirectory
        case noRenderNode
        case permissionDenied
        case notPermittedByContainer
        case nodeGone
        case notDRM
        case nvidia
        case virtualGPU
        case emulated
        case driverMissing
        case driverFailed
        case noEncoderInGPU
        case noEncoderInBuild
        case lowPowerOnlyBuild
        case profilesStripped
        case hucMissing
    }

    package var kind: Kind
    /// One sentence with the problem and its values.
    package var sentence: String
    /// The remedy, with the exact command if there is one; nil if there is none.
    package var hint: Message?

    package init(_ kind: Kind, _ sentence: String, hint: Message? = nil) {
        self.kind = kind
        self.sentence = sentence
        self.hint = hint
    }
}

/// A node, the result of opening it, and its diagnoses.
package struct NodeReport: Sendable {
    package var node: RenderNode
    package var answers: DriverCapabilities?
    package var diagnoses: [Diagnosis]

    package var gpuName: String { node.gpuName(answers) }

    /// Pure: all information about the machine comes from `system`.
    package init(_ node: RenderNode, _ outcome: Result<DriverCapabilities, DisplayError>, in system: SystemView) {
        self.node = node
        switch outcome {
        case .success(let answers):
            self.answers = answers
            diagnoses = diagnose(node, answers, in: system)
        case .failure(let error):
            diagnoses = [diagnose(node, error, in: system)]
        }
    }

    /// Opens the node's display and queries everything.
    package init(probing node: RenderNode, in system: SystemView = .live) {
        self = Self.probing(node, in: system) { $0 }
    }

    /// - Parameters:
    ///   - memory: Known capabilities that need not be queried.
    ///   - use: Called with the report before the display is closed, because a driver may crash then.
    package static func probing<Outcome>(
        _ node: RenderNode, with memory: ProcessingMemory? = nil, in system: SystemView = .live,
        use: (NodeReport) -> Outcome
    ) -> Outcome {
        let opened = Result { () throws(DisplayError) in
            try DriverCapabilities.opening(node, with: memory, in: system)
        }
        return withExtendedLifetime(opened) { use(NodeReport(node, opened.map(\.answers), in: system)) }
    }
}

extension DriverCapabilities {
    package typealias Opened = (display: Display, answers: DriverCapabilities)

    /// Opens the node and queries its driver.
    ///
    /// If that driver encodes nothing and the GPU's vendor has another driver that does, that one is used: on
    /// Broadwell, i965 instead of the free build of iHD.
    package static func opening(
        _ node: RenderNode, with memory: ProcessingMemory? = nil, in system: SystemView
    ) throws(DisplayError) -> Opened {
        let first = try opening(node, by: nil, memory, in: system)
        guard !first.answers.encodesVideo, system.environment("LIBVA_DRIVER_NAME") == nil else { return first }
        for driver in driverNames(for: node.vendor) where driver != first.answers.driverName {
            let other = try? opening(node, by: driver, memory, in: system)
            if let other, other.answers.encodesVideo { return other }
        }
        return first
    }

    /// A driver that opens but cannot list its profiles counts as one that does not open.
    private static func opening(
        _ node: RenderNode, by driver: String?, _ memory: ProcessingMemory?, in system: SystemView
    ) throws(DisplayError) -> Opened {
        let display = try Display(node, with: driver, in: system)
        do throws(VAError) {
            return (display, try DriverCapabilities(asking: display, with: memory, in: system))
        } catch {
            let attempt = DriverAttempt(driver: nil, error: error, messages: display.messages)
            throw DisplayError(path: node.path, cause: .initialize(error), attempts: [attempt])
        }
    }
}

/// All nodes of a machine, and the diagnosis if there is none.
package struct HardwareReport: Sendable {
    package var nodes: [NodeReport]
    /// Problems of the machine as a whole, not of one node.
    package var diagnoses: [Diagnosis]

    package init(probing system: SystemView = .live) {
        let nodes = RenderNode.all(in: system)
        self.nodes = nodes.map { NodeReport(probing: $0, in: system) }
        diagnoses = nodes.isEmpty ? [diagnoseNoNode(in: system)] : []
    }
}
