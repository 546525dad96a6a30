import VTXMedia
import VTXSession

/// Which codec, on which device.
struct DeviceChoice {
    var codec: VideoCodec
    /// The device that encodes.
    var encoder: Candidate
    /// The GPU that may decode and filter, also for an encoder in software; nil where there is none.
    var gpu: Candidate?

    var matrix: CapabilityMatrix { encoder.matrix }

    struct Candidate {
        var backend: any VideoBackend
        var matrix: CapabilityMatrix

        func open(_ budget: SurfaceBudget) throws(SessionError) -> any VideoSession {
            try backend.openSession(on: matrix.device, budget: budget)
        }
    }

    /// - Parameter refused: devices that were tried for this job already.
    static func choose(
        _ request: TranscodeRequest, from backends: [any VideoBackend], without refused: [DeviceRefusal],
        _ notes: inout PlanNotes
    ) throws(TranscodeError) -> DeviceChoice {
        let looked = backends.filter { request.mayUseHardware || !$0.isHardware }
        let found = looked.flatMap { backend in
            backend.probe().map { Candidate(backend: backend, matrix: $0) }
        }
        try checkDevice(request, found.filter(\.matrix.isHardware))
        let allowed = byPreference(found).filter {
            !$0.matrix.isHardware || request.device == "auto" || $0.matrix.selectors.contains(request.device)
        }
        let candidates = allowed.filter { candidate in
            !refused.contains { $0.device == candidate.matrix.device }
        }
        let codec = try chooseCodec(request, candidates.filter(\.matrix.isHardware), &notes)
        let able = candidates.filter { $0.matrix.encodes(codec) }
        let usable = request.hardware == .require ? able.filter(\.matrix.isHardware) : able
        guard let chosen = usable.first else { throw unavailable(codec, request, refused) }
        notes.decide("device", chosen.matrix.deviceName, because: reason(request, chosen, codec, of: usable))
        let gpu = chosen.matrix.isHardware ? chosen : allowed.first(where: \.matrix.isHardware)
        return DeviceChoice(codec: codec, encoder: chosen, gpu: gpu)
    }

    /// Hardware before software, and the least busy first; else as the backends are listed.
    private static func byPreference(_ candidates: [Candidate]) -> [Candidate] {
        candidates.enumerated().sorted {
            ($0.element.matrix.isHardware ? 0 : 1, $0.element.matrix.load, $0.offset)
                < ($1.element.matrix.isHardware ? 0 : 1, $1.element.matrix.load, $1.offset)
        }.map(\.element)
    }

    private static func chooseCodec(
        _ request: TranscodeRequest, _ hardware: [Candidate], _ notes: inout PlanNotes
    ) throws(TranscodeError) -> VideoCodec {
        let ending = request.output.flatMap { Container(fileExtension: FileName.split($0).ending) }
        if let codec = request.codec {
            if let only = ending?.onlyCodec, only != codec {
                throw TranscodeError(
                    .usage, "output.codec", "'\(request.output ?? "")' is \(ending!), which cannot hold \(codec)",
                    hint: "use .\(codec == .hevc ? "h265" : "h264") or a container such as .mp4")
            }
            notes.decide("codec", "\(codec)", because: "asked for")
            return codec
        }
        if let only = ending?.onlyCodec, request.profile.map({ $0.codec == only }) ?? true {
            notes.decide("codec", "\(only)", because: "the output is \(ending!)")
            return only
        }
        if let profile = request.profile {
            notes.decide("codec", "\(profile.codec)", because: "the profile \(profile.name) is one of its own")
            return profile.codec
        }
        let hasHEVC = hardware.contains { $0.matrix.encodes(.hevc) }
        notes.decide(
            "codec", "\(hasHEVC ? VideoCodec.hevc : .h264)",
            because: request.hardware == .off
                ? "hardware is off, and H.264 is what plays everywhere"
                : hasHEVC ? "the hardware encodes HEVC" : "no hardware here encodes HEVC")
        return hasHEVC ? .hevc : .h264
    }

    private static func checkDevice(_ request: TranscodeRequest, _ hardware: [Candidate]) throws(TranscodeError) {
        guard request.device != "auto", request.hardwareFault == nil,
            !hardware.contains(where: { $0.matrix.selectors.contains(request.device) })
        else { return }
        let known = hardware.map(\.matrix.device.name).joined(separator: ", ")
        throw TranscodeError(
            .hardware, "hardware.device", "there is no device '\(request.device)' that vtx can use",
            hint: known.isEmpty ? "vtx found no GPU that it can use" : "allowed: auto, \(known)")
    }

    private static func unavailable(
        _ codec: VideoCodec, _ request: TranscodeRequest, _ refused: [DeviceRefusal]
    ) -> TranscodeError {
        if let refusal = refused.first {
            return TranscodeError(
                .hardware, "hardware.required", "\(refusal.deviceName) does not encode this: \(refusal.reason)",
                hint: request.hardware == .require ? "--hw auto falls back to software" : nil)
        }
        return request.hardware == .require
            ? TranscodeError(
                .hardware, "hardware.required", "no hardware here encodes \(codec), and --hw require forbids software",
                hint: "--hw auto falls back to software")
            : TranscodeError(.unsupported, "encoder.missing", "this build of FFmpeg has no encoder for \(codec)")
    }

    private static func reason(
        _ request: TranscodeRequest, _ chosen: Candidate, _ codec: VideoCodec, of usable: [Candidate]
    ) -> String {
        if chosen.matrix.isHardware {
            let count = usable.count(where: \.matrix.isHardware)
            return "it encodes \(codec)" + (count > 1 ? "; least busy of \(count)" : "")
        }
        if request.hardwareFault != nil { return "the GPU failed on this job" }
        return request.hardware == .off ? "--hw off" : "no hardware here encodes \(codec)"
    }
}

extension DeviceChoice {
    /// nil for the CPU: below it is nothing to fall to.
    func refusal(_ reason: String) -> DeviceRefusal? {
        guard matrix.isHardware else { return nil }
        return DeviceRefusal(device: matrix.device, deviceName: matrix.deviceName, reason: reason)
    }
}

/// A device that was chosen and then cannot do the job: one step down the ladder.
struct DeviceRefusal: Error {
    var device: DeviceID
    var deviceName: String
    /// One sentence: what it cannot do, or which call failed.
    var reason: String

    init(device: DeviceID, deviceName: String, reason: String) {
        (self.device, self.deviceName, self.reason) = (device, deviceName, reason)
    }

    /// nil for a fault that is not the encoder's.
    init?(_ fault: StageFault) {
        guard fault.stage == .encode else { return nil }
        self.init(device: fault.device, deviceName: fault.deviceName, reason: fault.reason)
    }

    var notice: Notice {
        Notice(.fallback, "fallback.encode", "\(deviceName) does not encode this: \(reason)")
    }
}
