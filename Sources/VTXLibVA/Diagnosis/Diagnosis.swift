package import VTXMedia

/// Why a GPU does less than it could, or nothing, and what to do about it.
package struct Diagnosis: Sendable, Hashable {
    /// For programs; the names stay the same.
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
    /// One sentence: what is the matter, with its values.
    package var sentence: String
    /// What to do, with the exact command where there is one; nil where nothing helps.
    package var hint: Message?

    package init(_ kind: Kind, _ sentence: String, hint: Message? = nil) {
        self.kind = kind
        self.sentence = sentence
        self.hint = hint
    }
}

/// A node with what came of opening it and what follows from that.
package struct NodeReport: Sendable {
    package var node: RenderNode
    package var answers: DriverCapabilities?
    package var diagnoses: [Diagnosis]

    package var gpuName: String { node.gpuName(answers) }

    /// Pure: everything asked of the machine goes through `system`.
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

    /// Opens the node's display and asks it everything.
    package init(probing node: RenderNode, in system: SystemView = .live) {
        self = Self.probing(node, in: system) { $0 }
    }

    /// - Parameters:
    ///   - memory: what may be known without asking.
    ///   - use: gets the report before the display is closed: a driver may crash at that.
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

    /// Opens the node and asks its driver everything.
    ///
    /// Where that driver encodes nothing and the GPU's maker has another one that does, it is the other one: on
    /// Broadwell, i965 in place of the free build of iHD.
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

    /// A driver that opens and then cannot even list its profiles has failed like one that does not open.
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

/// All nodes of a machine, and what to say when there is none.
package struct HardwareReport: Sendable {
    package var nodes: [NodeReport]
    /// Of the machine as a whole: there is no node to blame.
    package var diagnoses: [Diagnosis]

    package init(probing system: SystemView = .live) {
        let nodes = RenderNode.all(in: system)
        self.nodes = nodes.map { NodeReport(probing: $0, in: system) }
        diagnoses = nodes.isEmpty ? [diagnoseNoNode(in: system)] : []
    }
}
