import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// Which codec, on which device.
struct DeviceChoice {
    var codec: VideoCodec
    /// The device that encodes.
    var encoder: DeviceCandidate
    /// The GPU that may decode and filter, also for an encoder in software; nil where there is none.
    var gpu: DeviceCandidate?
    /// Devices that may take over where the encoder's one fails in mid-file, the best first.
    var others: [DeviceCandidate] = []

    var matrix: CapabilityMatrix { encoder.matrix }

    /// - Parameters:
    ///   - refused: devices that do not encode this job.
    ///   - failures: of devices that are not to be used for it at all.
    static func choose(
        _ request: TranscodeRequest, from backends: [any VideoBackend], without refused: [DeviceOpenFailure] = [],
        after failures: HardwareFailures = HardwareFailures(), _ notes: inout PlanNotes
    ) throws(TranscodeError) -> DeviceChoice {
        let found = DeviceCandidate.all(from: backends, allowsHardware: request.mayUseHardware)
        let unusable = UnusableHardware(request, backends)
        try checkDevice(request, found.hardware, unusable)
        let allowed = found.selected(by: request.device).ranked.filter { !failures.excludes($0.matrix.device) }
        let candidates = allowed.filter { candidate in
            !refused.contains { $0.device == candidate.matrix.device }
        }
        let codec = try chooseCodec(request, candidates, &notes)
        let able = candidates.filter { $0.matrix.encodes(codec) }
        let usable = request.hardware == .require ? able.hardware : able
        guard let chosen = usable.first else { throw unavailable(codec, request, refused, unusable) }
        if allowed.hardware.isEmpty { unusable.note(&notes) } else { unusable.noteFaulty(&notes) }
        let hasFailed = request.hardwareFault != nil || !failures.midStream.isEmpty
        notes.decide(
            "device", chosen.matrix.deviceName, because: reason(request, chosen, codec, of: usable, hasFailed))
        let gpu = chosen.matrix.isHardware ? chosen : allowed.hardware.first
        let others = request.forbidsFallbacks ? [] : Array(usable.dropFirst())
        return DeviceChoice(codec: codec, encoder: chosen, gpu: gpu, others: others)
    }

    private static func chooseCodec(
        _ request: TranscodeRequest, _ candidates: [DeviceCandidate], _ notes: inout PlanNotes
    ) throws(TranscodeError) -> VideoCodec {
        let pathExtension = request.output.flatMap { Container(fileExtension: FileName.split($0).pathExtension) }
        if let codec = request.codec {
            if let only = pathExtension?.onlyCodec, only != codec {
                throw TranscodeError(
                    .outputCodec,
                    "'\(request.output ?? "")' is \(pathExtension!), which cannot hold \(codec)",
                    hint: "use .\(codec == .hevc ? "h265" : "h264") or a container such as .mp4")
            }
            notes.decide("codec", "\(codec)", because: "asked for")
            return codec
        }
        if let only = pathExtension?.onlyCodec, request.profile.map({ $0.codec == only }) ?? true {
            notes.decide("codec", "\(only)", because: "the output is \(pathExtension!)")
            return only
        }
        if let profile = request.profile {
            notes.decide("codec", "\(profile.codec)", because: "the profile \(profile.name) is one of its own")
            return profile.codec
        }
        let codec = candidates.defaultCodec
        notes.decide(
            "codec", "\(codec)",
            because: request.hardware == .off
                ? "hardware is off, and H.264 is what plays everywhere"
                : codec == .hevc ? "the hardware encodes HEVC" : "no hardware here encodes HEVC")
        return codec
    }

    private static func checkDevice(
        _ request: TranscodeRequest, _ hardware: [DeviceCandidate], _ unusable: UnusableHardware
    ) throws(TranscodeError) {
        guard request.device != .auto, !request.avoidsHardware, !unusable.isFaulty,
            hardware.selected(by: request.device).isEmpty
        else { return }
        if request.hardware == .off {
            throw TranscodeError(
                .conflict,
                "\(option: .device, "\(request.device)") asks for a GPU, and \(option: .hardware, "off") forbids all",
                hint: "leave one of them out")
        }
        if let reason = unusable.reason {
            throw TranscodeError(.hardwareDevice, Message(reason), hint: unusable.hint)
        }
        let known = hardware.map(\.matrix.device.name).joined(separator: ", ")
        throw TranscodeError(
            .hardwareDevice, "there is no device '\(request.device)' that vtx can use",
            hint: known.isEmpty ? "vtx found no GPU that it can use" : "allowed: auto, \(known)")
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
        _ hasFailed: Bool
    ) -> Message {
        if chosen.matrix.isHardware {
            let count = usable.hardware.count
            return count > 1 ? "it encodes \(codec); least busy of \(count)" : "it encodes \(codec)"
        }
        if hasFailed { return "the GPU failed on this job" }
        return request.hardware == .off ? "\(option: .hardware, "off")" : "no hardware here encodes \(codec)"
    }
}

extension DeviceChoice {
    /// nil for the CPU: below it is nothing to fall to.
    func refusal(_ reason: Message) -> DeviceOpenFailure? {
        guard matrix.isHardware else { return nil }
        return DeviceOpenFailure(device: matrix.device, deviceName: matrix.deviceName, reason: reason)
    }

    /// Whether one of its GPUs is to be given fewer frames at one time.
    func isShortOfMemory(after failures: HardwareFailures) -> Bool {
        [encoder, gpu].contains { $0.map { failures.shortOfMemory.contains($0.matrix.device) } ?? false }
    }
}

/// A device that was chosen and then cannot do the job: the next one is tried.
struct DeviceOpenFailure: Error {
    var device: DeviceID
    var deviceName: String
    /// One sentence: what it cannot do, or which call failed.
    var reason: Message

    init(device: DeviceID, deviceName: String, reason: Message) {
        (self.device, self.deviceName, self.reason) = (device, deviceName, reason)
    }

    /// nil for a fault that is not the encoder's, or only one of its ways'.
    init?(_ fault: HardwareFailure) {
        guard fault.stage == .encode, fault.mode == nil else { return nil }
        self.init(device: fault.device, deviceName: fault.deviceName, reason: Message(fault.reason))
    }

    var notice: Notice {
        Notice(.fallbackEncode, "\(deviceName) does not encode this: \(reason)")
    }
}
