import VTXMedia

/// A driver that answered: what it says is held against what the GPU's generation can do.
func diagnose(_ node: RenderNode, _ answers: DriverCapabilities, in system: SystemView) -> [Diagnosis] {
    if answers.isEmulated {
        let sentence = "\(node.path): the CPU plays the GPU (\(answers.vendorString))"
        return [Diagnosis(.emulated, sentence, hint: "encode in software, which is faster")]
    }
    if !answers.encodesVideo, let special = notForVideo(node) { return [special] }
    if let stripped = profilesStripped(node, answers) { return [stripped] }
    let build = [noEncoder(node, answers), lowPowerOnly(node, answers)].compactMap(\.self).first
    return [build, hucMissing(node, answers, in: system)].compactMap(\.self)
}

extension DriverCapabilities {
    /// Whether any profile of the codec has an encoder.
    func encodes(_ codec: VideoCodec) -> Bool {
        !lacksShaders && rows.contains { $0.profile.videoCodec == codec && $0.entrypoint.encodesVideo }
    }

    private var hasPatentedCodec: Bool { rows.contains { $0.profile.videoCodec != nil } }

    /// Neither H.264 nor HEVC in any direction, but other codecs.
    fileprivate var isStripped: Bool { !hasPatentedCodec && rows.contains { $0.profile != .none } }
}

private func profilesStripped(_ node: RenderNode, _ answers: DriverCapabilities) -> Diagnosis? {
    guard answers.isStripped else { return nil }
    return Diagnosis(
        .profilesStripped,
        "\(node.gpuName(answers)): the driver has neither H.264 nor HEVC, not even to decode; "
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

/// What the generation encodes and the driver does not, in words.
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
