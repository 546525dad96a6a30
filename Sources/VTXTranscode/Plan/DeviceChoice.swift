import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// The choice of codec and device.
struct DeviceChoice {
    var codec: VideoCodec
    /// The device that encodes.
    var encoder: DeviceCandidate
    /// The GPU that may decode and filter, even for a software encoder; nil for none.
    var gpu: DeviceCandidate?
    /// The devices that may take over if the encoder's device fails in mid-file, best first.
    var others: [DeviceCandidate] = []
    /// All devices that may encode parts of the video, best first.
    var all: [DeviceCandidate] = []

    var matrix: CapabilityMatrix { encoder.matrix }

    /// - Parameters:
    ///   - refused: The devices that do not encode this job, or not in one codec.
    ///   - failures: Those of earlier attempts.
    ///   - keepsHDR: Whether the output is HDR.
    static func choose(
        _ request: TranscodeRequest, from backends: [any VideoBackend], without refused: [DeviceOpenFailure] = [],
        after failures: HardwareFailures = HardwareFailures(), keepsHDR: Bool = false, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> DeviceChoice {
        let found = DeviceCandidate.all(
            from: backends, allowsHardware: request.hardware != .off && !failures.excludesAll)
        let unusable = UnusableHardware(request, backends, after: failures)
        if !failures.excludesAll { try checkDevice(request, found.hardware, unusable) }
        let allowed = found.selected(by: request.device).ranked.filter { !failures.excludes($0.matrix.device) }
            .preferring(failures.driverFailures.retried).wholeFirst(after: failures)
        let encoders = allowed.filter {
            !failures.excludes($0.matrix.device, at: .encode) && !(request.usesTwoPasses && $0.matrix.isHardware)
        }
        let able = { codec in
            encoders.filter { candidate in
                candidate.matrix.encodes(codec) && !refused.contains { $0.concerns(candidate.matrix.device, codec) }
            }
        }
        let codec = try chooseCodec(
            request, keepsHDR, able(.hevc).defaultCodec, refused, failures, &notes)
        let usable = request.hardware == .require ? able(codec).hardware : able(codec)
        guard let chosen = usable.first else { throw unavailable(codec, request, refused, unusable) }
        if allowed.hardware.isEmpty { unusable.note(&notes) } else { unusable.noteFaulty(&notes) }
        notes.decide(
            "device", chosen.matrix.deviceName,
            because: reason(request, chosen, codec, of: usable, refused, hasFailed: failures.endedAttempt))
        let gpu = chosen.matrix.isHardware ? chosen : allowed.hardware.first
        let others = request.forbidsFallbacks ? [] : Array(usable.dropFirst())
        return DeviceChoice(codec: codec, encoder: chosen, gpu: gpu, others: others, all: usable)
    }

    /// - Parameter best: The default: HEVC if hardware encodes it, otherwise H.264, which is supported everywhere.
    private static func chooseCodec(
        _ request: TranscodeRequest, _ keepsHDR: Bool, _ best: VideoCodec, _ refused: [DeviceOpenFailure],
        _ failures: HardwareFailures, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> VideoCodec {
        let container = request.hasRenditions ? nil : request.container
        let (codec, reason) = codec(request, container, keepsHDR, failures) ?? (best, reason(request, best, refused))
        if let container { try check(request, container, holds: codec) }
        notes.decide("codec", "\(codec)", because: reason)
        return codec
    }

    /// Returns the codec if something other than the hardware determines it.
    private static func codec(
        _ request: TranscodeRequest, _ container: Container?, _ keepsHDR: Bool, _ failures: HardwareFailures
    ) -> (VideoCodec, reason: Message)? {
        if let codec = request.codec { return (codec, "requested") }
        if let codec = failures.codec { return (codec, "an earlier attempt used it") }
        if let container, let only = container.onlyCodec, request.profile.map({ $0.codec == only }) ?? true {
            return (only, "the output is \(container)")
        }
        if let profile = request.profile { return (profile.codec, "the profile \(profile.name) belongs to it") }
        guard request.hasRenditions else { return nil }
        return keepsHDR
            ? (.hevc, "players of adaptive streams expect HDR in it")
            : (.h264, "every player of adaptive streams supports it")
    }

    private static func check(
        _ request: TranscodeRequest, _ container: Container, holds codec: VideoCodec
    ) throws(TranscodeError) {
        guard !container.videoCodecs.contains(codec) else { return }
        let others = Container.allCases.filter { $0.videoCodecs.contains(codec) }.map { ".\($0.fileExtensions[0])" }
        throw TranscodeError(
            .outputCodec, "\(StandardStream.output(request.output ?? "")) is \(container), which cannot hold \(codec)",
            hint: "\(codec) goes into \(alternatives(others))")
    }

    private static func reason(
        _ request: TranscodeRequest, _ best: VideoCodec, _ refused: [DeviceOpenFailure]
    ) -> Message {
        if request.hardware == .off { return "hardware is off, and H.264 plays everywhere" }
        if request.usesTwoPasses { return "software encodes in two passes, and H.264 plays everywhere" }
        if best == .hevc { return "the hardware encodes HEVC" }
        return refused.isEmpty ? "no hardware here encodes HEVC" : "no hardware here encodes this as HEVC"
    }

    private static func checkDevice(
        _ request: TranscodeRequest, _ hardware: [DeviceCandidate], _ unusable: UnusableHardware
    ) throws(TranscodeError) {
        guard request.device != .auto, !unusable.isFaulty, hardware.selected(by: request.device).isEmpty else { return }
        if request.hardware == .off {
            throw TranscodeError(
                .conflict,
                "\(option: .device, "\(request.device)") selects a GPU, but \(option: .hardware, "off") disables all",
                hint: "leave one of them out")
        }
        if let reason = unusable.reason {
            throw TranscodeError(.hardwareDevice, Message(reason), hint: unusable.hint)
        }
        let known = hardware.map(\.matrix.device.name).joined(separator: ", ")
        throw TranscodeError(
            .hardwareDevice, "there is no device '\(request.device)' that vtx can use",
            hint: known.isEmpty ? "vtx found no usable GPU" : "allowed: auto, \(known)")
    }

    private static func unavailable(
        _ codec: VideoCodec, _ request: TranscodeRequest, _ refused: [DeviceOpenFailure], _ unusable: UnusableHardware
    ) -> TranscodeError {
        if let refusal = refused.first {
            return TranscodeError(
                .hardwareRequired, "\(refusal.deviceName) does not encode this: \(refusal.reason)",
                hint: request.hardware == .require ? "\(option: .hardware, "auto") falls back to software" : nil)
        }
        guard request.hardware == .require else {
            return TranscodeError(.encoderMissing, "this build of FFmpeg has no encoder for \(codec)")
        }
        let reason = unusable.reason.map { ": \($0)" } ?? ""
        return TranscodeError(
            .hardwareRequired,
            "no hardware here encodes \(codec), and \(option: .hardware, "require") forbids software\(reason)",
            hint: unusable.hint ?? "\(option: .hardware, "auto") falls back to software")
    }

    private static func reason(
        _ request: TranscodeRequest, _ chosen: DeviceCandidate, _ codec: VideoCodec, of usable: [DeviceCandidate],
        _ refused: [DeviceOpenFailure], hasFailed: Bool
    ) -> Message {
        if chosen.matrix.isHardware {
            let count = usable.hardware.count
            guard count > 1 else { return "it encodes \(codec)" }
            return hasFailed
                ? "it encodes \(codec); it continues this job" : "it encodes \(codec); least busy of \(count)"
        }
        if hasFailed { return "the GPU failed on this job" }
        if request.hardware == .off { return "\(option: .hardware, "off")" }
        if request.usesTwoPasses { return "only software encodes in two passes" }
        return refused.isEmpty ? "no hardware here encodes \(codec)" : "no hardware here encodes this as \(codec)"
    }
}

extension [DeviceCandidate] {
    /// Returns them with the GPUs whose drivers failed at decoding or filtering after the other GPUs, which can do the
    /// whole job.
    fileprivate func wholeFirst(after failures: HardwareFailures) -> [DeviceCandidate] {
        let isPartial = { (candidate: DeviceCandidate) in
            [VideoStage.decode, .filter].contains { failures.excludes(candidate.matrix.device, at: $0) }
        }
        return hardware.filter { !isPartial($0) } + hardware.filter(isPartial) + filter { !$0.matrix.isHardware }
    }
}

extension DeviceChoice {
    /// Returns the same choice with this device for everything it supports.
    func on(_ device: DeviceID) -> DeviceChoice {
        guard let candidate = all.first(where: { $0.matrix.device == device }) else { return self }
        let gpu = candidate.matrix.isHardware ? candidate : nil
        let rest = others.isEmpty ? [] : all.filter { $0.matrix.device != device }
        return DeviceChoice(codec: codec, encoder: candidate, gpu: gpu, others: rest, all: all)
    }

    /// nil for the CPU, which has no fallback.
    func refusal(_ reason: Message) -> DeviceOpenFailure? {
        guard matrix.isHardware else { return nil }
        return DeviceOpenFailure(device: matrix.device, deviceName: matrix.deviceName, codec: codec, reason: reason)
    }

    /// Whether one of its GPUs should get fewer frames at a time.
    func isShortOfMemory(after failures: HardwareFailures) -> Bool {
        [encoder, gpu].contains { $0.map { failures.shortOfMemory.contains($0.matrix.device) } ?? false }
    }
}

/// A chosen device that cannot do the job. The next one is tried.
struct DeviceOpenFailure: Error {
    var device: DeviceID
    var deviceName: String
    /// The codec that it cannot encode in this job; nil for any.
    var codec: VideoCodec?
    /// One sentence: what the device does not support, or which call failed.
    var reason: Message

    init(device: DeviceID, deviceName: String, codec: VideoCodec? = nil, reason: Message) {
        (self.device, self.deviceName, self.codec, self.reason) = (device, deviceName, codec, reason)
    }

    func concerns(_ device: DeviceID, _ codec: VideoCodec) -> Bool {
        self.device == device && (self.codec ?? codec) == codec
    }

    /// nil for a failure that is not the encoder's, or only that of one mode.
    init?(_ failure: HardwareFailure) {
        guard failure.stage == .encode, failure.mode == nil else { return nil }
        self.init(device: failure.device, deviceName: failure.deviceName, reason: Message(failure.reason))
    }

    var notice: Notice {
        Notice(.fallbackEncode, "\(deviceName) does not encode this: \(reason)")
    }
}
