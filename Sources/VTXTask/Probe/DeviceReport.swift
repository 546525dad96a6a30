package import VTXMedia

/// A device: what it is, its capabilities, and its problems.
package struct DeviceReport: Sendable, Hashable, Codable {
    /// The render node, or `software`.
    package var device: String
    /// For users: `Intel Tiger Lake`.
    package var name: String
    package var isHardware: Bool
    /// All names that `--device` accepts for it.
    package var selectors: [String] = []
    package var pciAddress: String?
    /// The vendor and device ID: `8086:9a49`.
    package var pciID: String?
    package var cardPath: String?
    package var kernelDriver: String?
    /// The VA driver's vendor string.
    package var driver: String?
    /// The VA-API version: `1.17`.
    package var vaAPI: String?
    /// The number of processes that have it open; nil for software.
    package var otherProcesses: Int?
    /// How busy it is with their work, in percent; nil if the kernel does not report it.
    package var busyPercent: Int?
    package var rows: [CodingRow] = []
    /// nil for a device without a video processor. Software supports everything.
    package var processing: ProcessingReport?
    /// What the driver lists but vtx does not use: `VP9Profile0 EncSliceLP`.
    package var unused: [String] = []
    package var problems: [ProbeProblem] = []

    package init(device: String, name: String, isHardware: Bool) {
        self.device = device
        self.name = name
        self.isHardware = isHardware
    }

    /// Whether vtx can use any of it, as far as is known. If rows were tested, at least one must have passed; one that
    /// could not be tested proves nothing.
    package var isUsable: Bool {
        let used = rows.filter(\.isUsed)
        let verdicts = used.compactMap { $0.trial?.verdict }.filter { $0 != .skipped }
        return verdicts.isEmpty ? !used.isEmpty : verdicts.contains(.passed)
    }
}

/// The capabilities of a video processor, between decoder and encoder.
package struct ProcessingReport: Sendable, Hashable, Codable {
    package var pixelFormats: [String] = []
    /// VA-API's names: `MotionAdaptive`.
    package var deinterlacing: [String] = []
    /// Degrees clockwise.
    package var rotations: [Int] = []
    package var mirrors: [String] = []
    /// VA-API's names: `HDR_TO_SDR`.
    package var toneMapping: [String] = []
    /// VA-API's names of all its filters.
    package var filters: [String] = []
    package var maxSize: CodingRow.Size?
    /// The self-test of scaling; nil if not tested.
    package var trial: SelfTestResult?
    /// nil if not tested, or if the driver cannot convert HDR to SDR.
    package var toneMappingTrial: SelfTestResult?

    package init() {}
}

/// A problem of the machine or a device.
package struct ProbeProblem: Sendable, Hashable, Codable {
    /// Stable, for programs: `permissionDenied`, `driverMissing`.
    package var kind: String
    /// One sentence with the problem and its values.
    package var message: String
    /// The remedy, with the exact command if there is one; nil if there is none.
    package var hint: Message?

    package init(kind: String, message: String, hint: Message? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }
}

/// A codec and profile that a device decodes or encodes, according to its driver, and the result of its self-test.
package struct CodingRow: Sendable, Hashable, Codable {
    package enum Direction: String, Sendable, Hashable, Codable {
        case decode
        case encode
    }

    package var direction: Direction
    /// libavcodec's name: `h264`, `mpeg2video`.
    package var codec: String
    /// `main10`, or VA-API's name of a profile that vtx has no name for.
    package var profile: String
    /// `VLD`, `EncSlice`, `EncSliceLP`; nil for software.
    package var entrypoint: String?
    package var bitDepths: [Int] = []
    /// `4:2:0`.
    package var chroma: String
    package var minSize: Size?
    package var maxSize: Size?
    /// VA-API's names; empty for software and decoding.
    package var rateControls: [String] = []
    package var bFrames: Bool?
    /// The headers that the application may write itself, by VA-API's names; nil for software and decoding.
    package var packedHeaders: [String]?
    /// Whether vtx uses it.
    package var isUsed = true
    /// nil if not tested.
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

    /// Whether vtx can use it, as far as is known.
    package var isUsable: Bool {
        isUsed && [nil, .passed, .skipped].contains(trial?.verdict)
    }
}
