import VTXFFmpeg
package import VTXMedia
package import VTXSession
package import VTXTask

extension DeviceChoice {
    /// Returns the device's capabilities for an encoder; nil if it has none.
    func row(for encoder: EncoderConfiguration) -> EncoderCapability? { matrix.encoder(encoder.codec, encoder.profile) }

    /// - Throws: what the device does not support, and what it would support.
    func check(_ encoder: EncoderConfiguration) throws(TranscodeError) {
        guard let row = row(for: encoder) else {
            let allowed = matrix.encoders.filter { $0.codec == encoder.codec }.map(\.profile.name)
            throw TranscodeError(
                .encoderProfile,
                "there is no encoder for \(encoder.codec) \(encoder.profile.name)",
                hint: "it encodes: \(list(allowed))")
        }
        guard row.input(like: encoder.pixelFormat) != nil else {
            throw TranscodeError(.pixelFormat, "the encoder does not support \(encoder.pixelFormat)")
        }
        guard row.holds(encoder.size) else {
            throw TranscodeError(
                .size, "the encoder for \(encoder.codec) does not support \(encoder.size)",
                hint: "allowed: \(row.minSize) to \(row.maxSize); \(option: .size) chooses another")
        }
        if matrix.isHardware { try checkIsPlain(encoder) }
        try row.check(preset: encoder.presetName)
        try row.check(encoder.tuning)
        try row.check(encoder.options)
    }

    /// - Throws: for settings that only software encoders have.
    private func checkIsPlain(_ encoder: EncoderConfiguration) throws(TranscodeError) {
        if let name = encoder.presetName {
            let speeds = EncoderPreset.allCases.map(\.rawValue)
            throw TranscodeError(
                .conflict,
                "\(option: .preset, name): it is a preset of software encoders; GPUs have \(list(speeds))")
        }
        if let tuning = encoder.tuning {
            throw TranscodeError(
                .conflict, "\(option: .tune, tuning.rawValue): only software encoders can be tuned to the content")
        }
        guard !encoder.options.isEmpty else { return }
        throw TranscodeError(
            .encoderOptions,
            "\(option: .encoderOptions, encoder.options.text): only software encoders have options under names of their own"
        )
    }
}

extension EncoderCapability {
    fileprivate func check(preset name: String?) throws(TranscodeError) {
        guard let name, !presets.contains(name) else { return }
        let allowed = EncoderPreset.allCases.map(\.rawValue) + presets
        throw TranscodeError(
            .conflict, "\(option: .preset, name): the encoder for \(codec) has no such preset",
            hint: "allowed: \(list(allowed))")
    }

    fileprivate func check(_ tuning: EncoderTuning?) throws(TranscodeError) {
        guard let tuning, !tunings.contains(tuning) else { return }
        throw TranscodeError(
            .conflict, "\(option: .tune, tuning.rawValue): the encoder for \(codec) has no such tuning",
            hint: tunings.isEmpty ? "it has none" : "it has: \(list(tunings.map(\.rawValue)))")
    }

    fileprivate func check(_ wanted: [EncoderOption]) throws(TranscodeError) {
        guard let unknown = wanted.first(where: { !options.contains($0.name) }) else { return }
        let near = Suggestion.nearest(to: unknown.name, in: options)
        throw TranscodeError(
            .encoderOptions,
            "\(option: .encoderOptions, unknown.description): the encoder for \(codec) has no option of this name that can be set",
            hint: options.isEmpty
                ? "it has none" : near.map { "did you mean '\($0)'?" } ?? "it has: \(list(options))")
    }
}

extension EncoderCapability {
    /// Notes properties of the source that this encoder does not write.
    ///
    /// - Parameter keepsHDR10Plus: Whether HDR10+ is carried past the encoder.
    func noteLosses(
        of source: Source, keepsHDR10Plus: Bool = false, _ dynamicRange: DynamicRangeChoice, _ container: Container,
        _ notes: inout PlanNotes
    ) {
        let kinds = source.extraDataKinds
        let keepsStatic = keepsHDRMetadata || ContainerRules.of(container).holdsHDRMetadata
        if dynamicRange.toneMapping == nil {
            noteDynamicLosses(source, keepsHDR10Plus, keepsStatic && !dynamicRange.metadata.isEmpty, &notes)
        }
        if !keepsHDRMetadata, !dynamicRange.metadata.isEmpty { noteStaticLosses(container, &notes) }
        if !keepsCaptions, kinds.contains(where: { $0.contains("A53") || $0.contains("ATSC") }) {
            notes.note(.downgradeCaptions, "closed captions in the video are lost: this encoder cannot write them")
        }
    }

    private func noteDynamicLosses(
        _ source: Source, _ keepsHDR10Plus: Bool, _ keepsStatic: Bool, _ notes: inout PlanNotes
    ) {
        let kinds = source.extraDataKinds
        if kinds.contains(where: \.isHDR10Plus), !keepsHDR10Plus {
            let kept = keepsStatic ? "; HDR10's static metadata is kept" : ""
            notes.note(.downgradeHDR10Plus, "HDR10+ metadata of each scene is lost\(kept)")
        }
    }

    private func noteStaticLosses(_ container: Container, _ notes: inout PlanNotes) {
        let what =
            ContainerRules.of(container).holdsHDRMetadata
            ? "goes into the container only" : "is lost, because \(container) cannot store it"
        notes.note(.downgradeHDRMetadata, "HDR10 metadata \(what): this encoder cannot write it into the stream")
    }
}

/// Finds GPUs that are present and allowed but cannot be used, in order to tell the user why.
struct UnusableHardware {
    private let request: TranscodeRequest
    private let backends: [any VideoBackend]
    private let failures: HardwareFailures

    /// - Parameter failures: Those of earlier attempts.
    init(_ request: TranscodeRequest, _ backends: [any VideoBackend], after failures: HardwareFailures) {
        self.request = request
        self.backends = backends
        self.failures = failures
    }

    /// Determined only when reported, because it requires a survey of the machine.
    private var devices: [UnusableDevice] {
        guard request.hardware != .off, !failures.excludesAll else { return [] }
        return backends.flatMap { $0.unusableDevices() }.filter { request.device.selects($0.selectors) }
    }

    /// Whether the requested device is present but its driver failed before, which is not an error of the request.
    var isFaulty: Bool { devices.contains(where: \.isFaulty) }

    var reason: String? {
        let reasons = devices.map(\.reason)
        return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    }
    var hint: Message? { devices.compactMap(\.hint).first }

    /// Notes that software replaces these devices.
    func note(_ notes: inout PlanNotes) {
        for device in unreported { notes.note(.fallbackDevice, "the GPU is not used: \(device.explanation)") }
    }

    /// Notes the failed devices that another GPU replaces.
    func noteFaulty(_ notes: inout PlanNotes) {
        for device in unreported where device.isFaulty {
            notes.note(.hardwareSkipped, "a GPU is avoided: \(device.explanation)")
        }
    }

    /// The devices not reported elsewhere: those that failed on this job are.
    private var unreported: [UnusableDevice] {
        let drivers = failures.driverFailures
        let reported = drivers.compactMap(\.device).filter(drivers.concernsJob).map { DeviceSelector.path($0.name) }
        return devices.filter { device in !(device.isFaulty && reported.contains(where: device.selectors.contains)) }
    }
}

extension UnusableDevice {
    fileprivate var explanation: Message { "\(reason)" + (hint.map { "; \($0)" } ?? "") }
}

/// The codec and device of a transcode, as `Planner` chooses them before inspecting the source.
package struct DeviceDecision: Sendable, Hashable {
    package var codec: VideoCodec
    package var codecReason: Message
    package var device: DeviceID
    package var deviceName: String
    package var isHardware: Bool
    package var deviceReason: Message

    package init(_ request: TranscodeRequest, backends: [any VideoBackend]) throws(TranscodeError) {
        var notes = PlanNotes()
        let choice = try DeviceChoice.choose(request, from: backends, &notes)
        codec = choice.codec
        device = choice.matrix.device
        deviceName = choice.matrix.deviceName
        isHardware = choice.matrix.isHardware
        codecReason = notes.reason(of: "codec")
        deviceReason = notes.reason(of: "device")
    }
}

extension PlanNotes {
    fileprivate func reason(of subject: String) -> Message { decisions.first { $0.subject == subject }?.reason ?? "" }
}
