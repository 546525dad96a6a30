import VTXMedia

/// i915's `enable_guc`: bit 1 loads the HuC firmware, -1 leaves it to the kernel.
enum HuCParameter: Sendable, Hashable {
    case value(Int)
    /// The parameter's file is for root alone, and the command line does not mention it.
    case unreadable

    init(_ system: SystemView) {
        let file = system.read("/sys/module/i915/parameters/enable_guc").flatMap { Int($0.filter { !$0.isWhitespace }) }
        let words = (system.read("/proc/cmdline") ?? "").split { $0.isWhitespace }
        let argument = words.last { $0.hasPrefix("i915.enable_guc=") }.flatMap { Int($0.dropFirst(16)) }
        self = (file ?? argument).map(HuCParameter.value) ?? .unreadable
    }
}

/// Debian's, up to 12 and from 13 on.
private let firmware = "firmware-misc-nonfree (Debian 13: firmware-intel-graphics)"

/// Intel's low-power encoder holds a bit rate only with the HuC firmware. Without it the driver offers constant
/// quality alone. i915 before Alder Lake loads it only when asked to; the xe driver, and later GPUs, do by themselves.
func hucMissing(_ node: RenderNode, _ answers: DriverCapabilities, in system: SystemView) -> Diagnosis? {
    let lowPower = answers.rows.filter { $0.entrypoint == .encSliceLP && $0.profile.videoCodec != nil }
    let holdsRate = lowPower.contains { !$0.rateControlModes.isDisjoint(with: [.cbr, .vbr, .qvbr]) }
    guard node.kernelDriver == "i915", node.generation?.needsHuCParameter == true, !lowPower.isEmpty, !holdsRate
    else { return nil }
    let what = "\(node.gpuName(answers)): the low-power encoder offers constant quality (CQP) alone, because the HuC "
    let hint: Message = "boot with i915.enable_guc=2, and have \(firmware) installed"
    switch HuCParameter(system) {
    case .value(let value) where value > 0 && value & 2 != 0:
        return Diagnosis(
            .hucMissing, what + "firmware did not load though i915.enable_guc is \(value)",
            hint: "install \(firmware), and look for the reason with: dmesg | grep -i huc")
    case .value(let value):
        return Diagnosis(.hucMissing, what + "firmware is not loaded (i915.enable_guc is \(value))", hint: hint)
    case .unreadable:
        return Diagnosis(
            .hucMissing, what + "firmware is not loaded (i915.enable_guc can be read by root alone)", hint: hint)
    }
}
