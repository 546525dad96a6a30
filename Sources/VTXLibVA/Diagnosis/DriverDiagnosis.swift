import VTXMedia

/// The package of a VA driver.
private let packages: [String: String] = [
    "iHD": "intel-media-va-driver-non-free, or intel-media-va-driver with fewer encoders",
    "i965": "i965-va-driver-shaders, or i965-va-driver with fewer encoders",
    "radeonsi": "mesa-va-drivers",
]

/// Diagnoses why no driver could be loaded and initialized: its file is missing, or it failed.
func driverDiagnosis(_ node: RenderNode, _ error: DisplayError, in system: SystemView) -> Diagnosis {
    if let forced = system.environment("LIBVA_DRIVER_NAME") {
        let hint: Message = "unset LIBVA_DRIVER_NAME, so that libva chooses the driver by the GPU"
        return failed(node, error, "LIBVA_DRIVER_NAME asks for \(forced), which failed", hint: hint)
    }
    let searched = TriedDrivers(error)
    let wanted = node.generation.map { [$0.driver] } ?? driverNames(for: node.vendor)
    guard let missing = wanted.first(where: { !searched.isInstalled($0, in: system) }), let package = packages[missing]
    else {
        return failed(node, error, "the VA driver of \(node.gpuName()) failed", hint: hintForFailure(node))
    }
    return Diagnosis(
        .driverMissing,
        "\(node.gpuName()) (\(node.path)) needs the VA driver \(missing)_drv_video.so, which is not in "
            + searched.directories.joined(separator: " or "),
        hint: "install Debian's package \(package)")
}

private func hintForFailure(_ node: RenderNode) -> Message? {
    guard node.vendor == .intel, node.generation == nil else { return nil }
    return "the GPU may be newer than the driver: update it"
}

private func failed(_ node: RenderNode, _ error: DisplayError, _ what: String, hint: Message?) -> Diagnosis {
    let reason = [error.attempts.last?.error.description, tellingMessages(error)].compactMap(\.self)
    return Diagnosis(
        .driverFailed, "\(node.path): \(what): \(reason.joined(separator: ": "))", hint: hint)
}

/// Returns the messages about failures, without duplicates; most others only list the files that were tried.
private func tellingMessages(_ error: DisplayError) -> String? {
    var seen: Set<String> = []
    let telling = error.attempts.flatMap(\.messages).filter { message in
        ["fail", "error", "cannot"].contains { message.lowercased().contains($0) } && seen.insert(message).inserted
    }
    return telling.isEmpty ? nil : telling.joined(separator: "; ")
}

/// The files that libva tried, according to its messages: `libva info: Trying to open /usr/lib/.../iHD_drv_video.so`.
struct TriedDrivers {
    let paths: [String]

    init(_ error: DisplayError) {
        paths = error.attempts.flatMap(\.messages).compactMap { message in
            guard message.contains("Trying to open "), let slash = message.firstIndex(of: "/") else { return nil }
            return String(message[slash...].prefix { !$0.isWhitespace })
        }
    }

    /// Without duplicates, in libva's order.
    var directories: [String] {
        var seen: Set<String> = []
        return paths.map { String($0[..<($0.lastIndex(of: "/") ?? $0.startIndex)]) }
            .filter { seen.insert($0).inserted }
    }

    func isInstalled(_ driver: String, in system: SystemView) -> Bool {
        directories.contains { system.permissions("\($0)/\(driver)_drv_video.so") != nil }
    }
}

/// i915's `enable_guc`: bit 1 loads the HuC firmware, -1 leaves it to the kernel.
enum HuCParameter: Sendable, Hashable {
    case value(Int)
    /// Only root can read the parameter's file, and the command line does not contain it.
    case unreadable

    init(_ system: SystemView) {
        let file = system.read("/sys/module/i915/parameters/enable_guc").flatMap { Int($0.filter { !$0.isWhitespace }) }
        let words = (system.read("/proc/cmdline") ?? "").split { $0.isWhitespace }
        let argument = words.last { $0.hasPrefix("i915.enable_guc=") }.flatMap { Int($0.dropFirst(16)) }
        self = (file ?? argument).map(HuCParameter.value) ?? .unreadable
    }
}

/// Debian's packages, up to 12 and from 13 on.
private let firmware = "firmware-misc-nonfree (Debian 13: firmware-intel-graphics)"

/// Intel's low-power encoder supports bit rates only with the HuC firmware; otherwise, the driver offers constant
/// quality only. i915 before Alder Lake loads it only on request; the xe driver and later GPUs load it by default.
func hucMissing(_ node: RenderNode, _ answers: DriverCapabilities, in system: SystemView) -> Diagnosis? {
    let lowPower = answers.rows.filter { $0.entrypoint == .encSliceLP && $0.profile.videoCodec?.nal != nil }
    let holdsRate = lowPower.contains { !$0.rateControlModes.isDisjoint(with: [.cbr, .vbr, .qvbr]) }
    guard node.kernelDriver == "i915", node.generation?.needsHuCParameter == true, !lowPower.isEmpty, !holdsRate
    else { return nil }
    let what = "\(node.gpuName(answers)): the low-power encoder offers only constant quality (CQP), because the HuC "
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
            .hucMissing, what + "firmware is not loaded (only root can read i915.enable_guc)", hint: hint)
    }
}

/// Compares the driver's capabilities with those of the GPU's generation.
func diagnose(_ node: RenderNode, _ answers: DriverCapabilities, in system: SystemView) -> [Diagnosis] {
    if answers.isEmulated {
        let sentence = "\(node.path): the CPU emulates the GPU (\(answers.vendorString))"
        return [Diagnosis(.emulated, sentence, hint: "encode in software, which is faster")]
    }
    if !answers.encodesVideo, let special = notForVideo(node) { return [special] }
    if let stripped = profilesStripped(node, answers) { return [stripped] }
    let build = [noEncoder(node, answers), lowPowerOnly(node, answers)].compactMap(\.self).first
    return [build, hucMissing(node, answers, in: system)].compactMap(\.self)
}

extension DriverCapabilities {
    /// Whether the codec has an encoder for any profile.
    func encodes(_ codec: VideoCodec) -> Bool {
        !lacksShaders && rows.contains { $0.profile.videoCodec == codec && $0.entrypoint.encodesVideo }
    }

    private var hasPatentedCodec: Bool { rows.contains { $0.profile.videoCodec?.nal != nil } }

    /// Whether it supports other codecs, but neither H.264 nor HEVC.
    fileprivate var isStripped: Bool { !hasPatentedCodec && rows.contains { $0.profile != .none } }
}

private func profilesStripped(_ node: RenderNode, _ answers: DriverCapabilities) -> Diagnosis? {
    guard answers.isStripped else { return nil }
    return Diagnosis(
        .profilesStripped,
        "\(node.gpuName(answers)): the driver has neither H.264 nor HEVC, not even for decoding; "
            + "some distributions build it without them",
        hint: "install the full build: mesa-va-drivers-freeworld (RPM Fusion) on Fedora, Mesa from Packman on openSUSE")
}

private func noEncoder(_ node: RenderNode, _ answers: DriverCapabilities) -> Diagnosis? {
    guard let generation = node.generation else { return answers.encodesVideo ? nil : noEncoderAtAll(node, answers) }
    if generation.encoders.isEmpty { return noEncoderAtAll(node, answers) }
    let missing = missingEncoders(generation, answers)
    guard !missing.isEmpty else { return nil }
    return Diagnosis(
        .noEncoderInBuild,
        "\(node.gpuName(answers)) encodes \(missing.joined(separator: " and ")), "
            + "but this build of its driver does not (\(answers.vendorString))",
        hint: fullBuild(answers))
}

/// Describes what the generation encodes but the driver does not.
private func missingEncoders(_ generation: GPUGeneration, _ answers: DriverCapabilities) -> [String] {
    let codecs = VideoCodec.allCases.filter { generation.encoders.contains($0) && !answers.encodes($0) }
    let lacksMain10 =
        generation.encodesMain10 && answers.encodes(.hevc) && answers.encodingRows(.hevcMain10).isEmpty
    return codecs.map(\.description) + (lacksMain10 ? ["HEVC Main 10"] : [])
}

private func noEncoderAtAll(_ node: RenderNode, _ answers: DriverCapabilities) -> Diagnosis? {
    guard !answers.encodesVideo else { return nil }
    return Diagnosis(
        .noEncoderInGPU, "\(node.gpuName(answers)) decodes, but has no encoder", hint: "encode in software")
}

private func lowPowerOnly(_ node: RenderNode, _ answers: DriverCapabilities) -> Diagnosis? {
    guard let generation = node.generation, generation.hasVME, answers.driverName == "iHD",
        answers.encodesVideo, !answers.rows.contains(where: { $0.entrypoint == .encSlice })
    else { return nil }
    return Diagnosis(
        .lowPowerOnlyBuild,
        "\(node.gpuName(answers)) also has the programmable encoder (EncSlice), but the driver's free build only "
            + "has the low-power one (EncSliceLP)",
        hint: fullBuild(answers))
}

private func fullBuild(_ answers: DriverCapabilities) -> Message? {
    switch answers.driverName {
    case "iHD": "install intel-media-va-driver-non-free, from Debian's component non-free"
    case "i965": "install intel-media-va-driver-non-free: the i965 driver encodes less and is no longer developed"
    case "radeonsi": "update Mesa (mesa-va-drivers), the kernel and its firmware (firmware-amd-graphics)"
    default: nil
    }
}
