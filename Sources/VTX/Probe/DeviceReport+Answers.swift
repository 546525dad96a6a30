import VTXLibVA
import VTXMedia
import VTXSession
import VTXSoftware
import VTXTask
import VTXVAAPI

extension DeviceReport {
    /// - Parameter matrix: The capabilities as vtx uses them; nil if there are none.
    init(
        _ node: RenderNode, _ answers: DriverCapabilities?, _ matrix: CapabilityMatrix?, _ load: RenderNodeLoad,
        _ problems: [ProbeProblem]
    ) {
        self.init(device: node.path, name: node.gpuName(answers), isHardware: true)
        selectors = node.selectors.map(\.description).sorted()
        pciAddress = node.address?.description
        pciID = node.deviceID?.description
        cardPath = node.cardPath
        kernelDriver = node.kernelDriver
        otherProcesses = load.processes
        busyPercent = load.busyPercent
        self.problems = problems
        guard let answers else { return }
        driver = answers.vendorString
        vaAPI = answers.apiVersion.description
        rows = answers.rows.compactMap(CodingRow.init)
        if answers.lacksShaders {
            for index in rows.indices where rows[index].direction == .encode { rows[index].isUsed = false }
        }
        processing = ProcessingReport(answers)
        unused = answers.rows.filter { CodingRow($0) == nil && $0.profile != .none }.map {
            "\($0.profile) \($0.entrypoint)"
        }
    }
}

extension CodingRow {
    /// nil for a row that vtx does not use.
    init?(_ row: DriverCapabilities.Row) {
        if row.entrypoint.encodesVideo {
            self.init(encoding: row)
        } else {
            self.init(decoding: row)
        }
        entrypoint = "\(row.entrypoint)"
        maxSize = Size(VAAPICapabilities.maxSize(row))
    }

    private init?(encoding row: DriverCapabilities.Row) {
        guard let profile = row.profile.videoProfile else { return nil }
        self.init(.encode, codec: profile.codec.rawValue, profile: profile.name, chroma: profile.maxChroma.ratio)
        let encoder = VAAPICapabilities.encoder(profile, row)
        isUsed = encoder != nil
        let formats = encoder?.pixelFormats ?? []
        bitDepths = formats.isEmpty ? [profile.maxBitDepth] : Set(formats.map(\.bitDepth)).sorted()
        minSize = row.surfaces?.minSize.map(Size.init)
        rateControls = row.rateControlModes.names
        bFrames = row.reordersFrames(in: profile)
        packedHeaders = row.packedHeaders.names
    }

    private init?(decoding row: DriverCapabilities.Row) {
        let entries = DecodableProfile.all(in: row)
        guard let first = entries.first else { return nil }
        let name = row.profile.videoProfile?.name ?? "\(row.profile)"
        self.init(.decode, codec: first.codec, profile: name, chroma: first.chroma.ratio)
        bitDepths = Set(entries.map(\.bitDepth)).sorted()
        minSize = row.surfaces?.minSize.map(Size.init)
    }
}

extension ProcessingReport {
    /// nil for a driver without a video processor.
    init?(_ answers: DriverCapabilities) {
        guard let row = answers.row(.none, .videoProc), let processing = answers.videoProcessing else { return nil }
        self.init()
        pixelFormats = (row.surfaces?.formats ?? []).map(\.description)
        deinterlacing = processing.deinterlacing.map(\.description)
        let turns: [(Rotations, Int)] = [(.quarter, 90), (.half, 180), (.threeQuarters, 270)]
        rotations = turns.filter { processing.rotations.contains($0.0) }.map(\.1)
        mirrors = processing.mirrors.names
        toneMapping = processing.toneMapping.names
        filters = processing.filters.map(\.description)
        maxSize = (processing.maxOutputSize ?? row.surfaces?.maxSize).map(CodingRow.Size.init)
    }
}

extension DeviceReport {
    /// Returns the encoders of this build of FFmpeg on the CPU, which decodes everything it knows.
    static var software: DeviceReport {
        let matrix = SoftwareBackend().probe().first
        var report = DeviceReport(
            device: SoftwareBackend.device.name, name: matrix?.deviceName ?? "software", isHardware: false)
        report.selectors = [report.device]
        report.rows = matrix?.encoders.map(CodingRow.init) ?? []
        return report
    }
}

extension CodingRow {
    fileprivate init(_ encoder: EncoderCapability) {
        let profile = encoder.profile
        self.init(.encode, codec: encoder.codec.rawValue, profile: profile.name, chroma: profile.maxChroma.ratio)
        bitDepths = [profile.maxBitDepth]
        minSize = Size(encoder.minSize)
        maxSize = Size(encoder.maxSize)
        bFrames = profile.allowsBFrames
    }
}
