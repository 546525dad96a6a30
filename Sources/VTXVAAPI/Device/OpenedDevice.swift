import VTXFFmpeg
package import VTXLibVA
import VTXMedia
import VTXSession

/// An open GPU with its driver's capabilities.
struct OpenedDevice: Sendable {
    let display: Display
    let answers: DriverCapabilities
    let matrix: CapabilityMatrix
    /// The display for libavcodec.
    let hardware: HardwareDevice

    init(display: Display, answers: DriverCapabilities, matrix: CapabilityMatrix) throws(SessionError) {
        (self.display, self.answers, self.matrix) = (display, answers, matrix)
        do { hardware = try HardwareDevice(vaDisplay: display.native, ownedBy: display) } catch {
            throw SessionError(error, while: "opening \(matrix.deviceName)", else: .notAvailableNow)
        }
    }
}

/// Known properties of a driver that it does not report.
package struct DriverQuirks: Sendable, Hashable {
    /// The numbering of its quality levels.
    var qualityLevels = QualityLevels.ascendingSpeed
    /// Whether to prefer CBR, because VBR starves frames of bits.
    var prefersCBR = false
    /// Whether it sets `VACodedBufferSegment.status`; Mesa 22.3 leaves it uninitialized.
    var reportsCodedStatus = true
    /// Whether the low-power HEVC encoder supports B frames. On some GPUs they are broken (media-driver 1390 and 1980).
    var hasLowPowerHEVCBFrames = true

    /// By a part of `vaQueryVendorString`; other drivers have no quirks.
    private static let table: [(vendor: String, quirks: DriverQuirks)] = [
        ("iHD driver", DriverQuirks(hasLowPowerHEVCBFrames: false)),
        ("i965 driver", DriverQuirks(prefersCBR: true)),
        ("Mesa Gallium driver", DriverQuirks(qualityLevels: .mesaBits, reportsCodedStatus: false)),
    ]

    package init(_ answers: DriverCapabilities) {
        self = Self.table.first { answers.vendorString.contains($0.vendor) }?.quirks ?? DriverQuirks()
    }

    /// Whether the encoder of a row uses B frames only if their depth is requested.
    func breaksBFrames(_ codec: VideoCodec, _ row: DriverCapabilities.Row) -> Bool {
        codec == .hevc && row.entrypoint == .encSliceLP && !hasLowPowerHEVCBFrames
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

/// The meaning of the numbers in `VAEncMiscParameterBufferQualityLevel`.
enum QualityLevels: Sendable, Hashable {
    /// 1 is the best quality, the last level the fastest (va.h).
    case ascendingSpeed
    /// Bits, from the lowest: valid, two for the preset (0 speed, 1 balanced, 2 quality), pre-encoding, VBAQ. Without
    /// the valid bit it is speed; with only that bit, balanced with both (Mesa: `vlVaQualityBits`).
    case mesaBits

    /// - Parameter count: The number of levels that the driver lists.
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
