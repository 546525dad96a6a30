import VTXFFmpeg
package import VTXLibVA
import VTXMedia
import VTXSession

/// A GPU that is open, with what its driver says of it.
struct OpenedDevice: Sendable {
    let display: Display
    let answers: DriverCapabilities
    let matrix: CapabilityMatrix
    /// The display as libavcodec takes it.
    let hardware: HardwareDevice

    init(display: Display, answers: DriverCapabilities, matrix: CapabilityMatrix) throws(SessionError) {
        (self.display, self.answers, self.matrix) = (display, answers, matrix)
        do { hardware = try HardwareDevice(vaDisplay: display.native, ownedBy: display) } catch {
            throw SessionError(error, while: "opening \(matrix.deviceName)", else: .notAvailableNow)
        }
    }
}

/// What is known of a driver that it does not say itself.
package struct DriverQuirks: Sendable, Hashable {
    /// How its quality levels are numbered.
    var qualityLevels = QualityLevels.ascendingSpeed
    /// Its VBR starves pictures of bits, its CBR does not.
    var prefersCBR = false
    /// It sets `VACodedBufferSegment.status`; Mesa 22.3 leaves there what was in the memory.
    var reportsCodedStatus = true
    /// The low-power HEVC encoder gives broken B frames on some GPUs (media-driver 1390 and 1980).
    var hasLowPowerHEVCBFrames = true

    /// By a part of `vaQueryVendorString`; a driver that is not here has none.
    private static let table: [(vendor: String, quirks: DriverQuirks)] = [
        ("iHD driver", DriverQuirks(hasLowPowerHEVCBFrames: false)),
        ("i965 driver", DriverQuirks(prefersCBR: true)),
        ("Mesa Gallium driver", DriverQuirks(qualityLevels: .mesaBits, reportsCodedStatus: false)),
    ]

    package init(_ answers: DriverCapabilities) {
        self = Self.table.first { answers.vendorString.contains($0.vendor) }?.quirks ?? DriverQuirks()
    }

    private init(
        qualityLevels: QualityLevels = .ascendingSpeed, prefersCBR: Bool = false, reportsCodedStatus: Bool = true,
        hasLowPowerHEVCBFrames: Bool = true
    ) {
        self.qualityLevels = qualityLevels
        self.prefersCBR = prefersCBR
        self.reportsCodedStatus = reportsCodedStatus
        self.hasLowPowerHEVCBFrames = hasLowPowerHEVCBFrames
    }
}

/// What the numbers of `VAEncMiscParameterBufferQualityLevel` mean.
enum QualityLevels: Sendable, Hashable {
    /// 1 is the driver's best, the last its fastest (va.h).
    case ascendingSpeed
    /// Bits, from the lowest: valid, two of the preset (0 speed, 1 balanced, 2 quality), pre-encoding, VBAQ. Without
    /// the valid bit it is speed, with it alone balanced with both (Mesa: `vlVaQualityBits`).
    case mesaBits

    /// - Parameter count: of the levels that the driver lists.
    func level(for preset: EncoderPreset, of count: Int) -> Int {
        switch (self, preset) {
        case (.ascendingSpeed, .quality): 1
        case (.ascendingSpeed, .balanced): (count + 1) / 2
        case (.ascendingSpeed, .fast): count
        case (.mesaBits, .quality): 0b1_1_10_1
        case (.mesaBits, .balanced): 0b1_0_01_1
        case (.mesaBits, .fast): 0
        }
    }
}
