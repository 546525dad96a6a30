package import VTXMedia

/// One device: what it is, what it says it can do, and what stands in the way.
package struct DeviceReport: Sendable, Hashable, Codable {
    /// The render node, or `software`.
    package var device: String
    /// For people: `Intel Tiger Lake`.
    package var name: String
    package var isHardware: Bool
    /// Everything that `--device` may call it.
    package var selectors: [String] = []
    package var pciAddress: String?
    /// Vendor and device: `8086:9a49`.
    package var pciID: String?
    package var cardPath: String?
    package var kernelDriver: String?
    /// The VA driver's words about itself.
    package var driver: String?
    /// libva's version of the interface: `1.17`.
    package var vaAPI: String?
    /// How many have it open; nil in software.
    package var otherProcesses: Int?
    /// Of the time in which it worked for them, in percent; nil where the kernel does not count that.
    package var busyPercent: Int?
    package var rows: [CodingRow] = []
    /// nil for a device without a video processor; in software everything is possible.
    package var processing: ProcessingReport?
    /// What the driver lists and vtx has no use for: `VP9Profile0 EncSliceLP`.
    package var unused: [String] = []
    package var problems: [ProbeProblem] = []

    package init(device: String, name: String, isHardware: Bool) {
        self.device = device
        self.name = name
        self.isHardware = isHardware
    }

    /// Whether vtx can use any of it, as far as is known. Where rows were tried, one has to have passed: one that could
    /// not be tried proves nothing.
    package var isUsable: Bool {
        let used = rows.filter(\.isUsed)
        let verdicts = used.compactMap { $0.trial?.verdict }.filter { $0 != .skipped }
        return verdicts.isEmpty ? !used.isEmpty : verdicts.contains(.passed)
    }
}

/// What a video processor does between decoder and encoder.
package struct ProcessingReport: Sendable, Hashable, Codable {
    package var pixelFormats: [String] = []
    /// VA's names: `MotionAdaptive`.
    package var deinterlacing: [String] = []
    /// Degrees, clockwise.
    package var rotations: [Int] = []
    package var mirrors: [String] = []
    /// VA's names: `HDR_TO_SDR`.
    package var toneMapping: [String] = []
    /// VA's names of all its filters.
    package var filters: [String] = []
    package var maxSize: CodingRow.Size?
    /// Of scaling; nil where nothing was tried.
    package var trial: SelfTestResult?
    /// nil where nothing was tried, or the driver makes no SDR of HDR.
    package var toneMappingTrial: SelfTestResult?

    package init() {}
}

/// Something that is not as it should be.
package struct ProbeProblem: Sendable, Hashable, Codable {
    /// Stable, for programs: `permissionDenied`, `driverMissing`.
    package var kind: String
    /// One sentence: what is the matter, with its values.
    package var message: String
    /// What to do about it, with the exact command where there is one; nil where nothing helps.
    package var hint: Message?

    package init(kind: String, message: String, hint: Message? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }
}

/// A codec and profile in one direction, as a device says it; and what came of trying it.
package struct CodingRow: Sendable, Hashable, Codable {
    package enum Direction: String, Sendable, Hashable, Codable {
        case decode
        case encode
    }

    package var direction: Direction
    /// libavcodec's name: `h264`, `mpeg2video`.
    package var codec: String
    /// `main10`, or VA's name of a profile that vtx has no name for.
    package var profile: String
    /// `VLD`, `EncSlice`, `EncSliceLP`; nil in software.
    package var entrypoint: String?
    package var bitDepths: [Int] = []
    /// `4:2:0`.
    package var chroma: String
    package var minSize: Size?
    package var maxSize: Size?
    /// VA's names; empty in software and when decoding.
    package var rateControls: [String] = []
    package var bFrames: Bool?
    /// The headers that the application may write itself, by VA's names; nil in software and when decoding.
    package var packedHeaders: [String]?
    /// False for what vtx leaves alone.
    package var isUsed = true
    /// nil where nothing was tried.
    package var trial: SelfTestResult?

    package init(_ direction: Direction, codec: String, profile: String, chroma: String) {
        self.direction = direction
        self.codec = codec
        self.profile = profile
        self.chroma = chroma
    }

    /// Width and height in pixels.
    package struct Size: Sendable, Hashable, Codable, CustomStringConvertible {
        package var width: Int
        package var height: Int

        package init(_ size: PixelSize) {
            width = size.width
            height = size.height
        }

        package var description: String { "\(width)x\(height)" }
    }

    /// Whether vtx may count on it, as far as is known.
    package var isUsable: Bool {
        isUsed && [nil, .passed, .skipped].contains(trial?.verdict)
    }
}
