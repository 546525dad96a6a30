import VTXMedia
import VTXSession

/// Which codec, on which device.
struct DeviceChoice {
    var codec: VideoCodec
    var backend: any VideoBackend
    var matrix: CapabilityMatrix

    private struct Candidate {
        var backend: any VideoBackend
        var matrix: CapabilityMatrix
    }

    static func choose(
        _ request: TranscodeRequest, from backends: [any VideoBackend], _ notes: inout PlanNotes
    ) throws(TranscodeError) -> DeviceChoice {
        let looked = backends.filter { request.hardware != .off || !$0.isHardware }
        let found = looked.flatMap { backend in
            backend.probe().map { Candidate(backend: backend, matrix: $0) }
        }
        try checkDevice(request, found.filter(\.matrix.isHardware))
        let candidates = found.filter {
            !$0.matrix.isHardware || request.device == "auto" || $0.matrix.device.name == request.device
        }
        let hardware = candidates.filter(\.matrix.isHardware)
        let codec = try chooseCodec(request, hardware, &notes)
        let able = candidates.filter { $0.matrix.encodes(codec) }
        let usable = request.hardware == .require ? able.filter(\.matrix.isHardware) : able
        // Hardware first: backends are listed in the order of preference.
        guard let chosen = usable.first else { throw unavailable(codec, request) }
        notes.decide("device", chosen.matrix.deviceName, because: reason(request, chosen, codec))
        return DeviceChoice(codec: codec, backend: chosen.backend, matrix: chosen.matrix)
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
        guard request.device != "auto", !hardware.contains(where: { $0.matrix.device.name == request.device })
        else { return }
        let known = hardware.map(\.matrix.device.name).joined(separator: ", ")
        throw TranscodeError(
            .hardware, "hardware.device", "there is no device '\(request.device)' that vtx can use",
            hint: known.isEmpty ? "vtx found no GPU that it can use" : "allowed: auto, \(known)")
    }

    private static func unavailable(_ codec: VideoCodec, _ request: TranscodeRequest) -> TranscodeError {
        request.hardware == .require
            ? TranscodeError(
                .hardware, "hardware.required", "no hardware here encodes \(codec), and --hw require forbids software",
                hint: "--hw auto falls back to software")
            : TranscodeError(.unsupported, "encoder.missing", "this build of FFmpeg has no encoder for \(codec)")
    }

    private static func reason(_ request: TranscodeRequest, _ chosen: Candidate, _ codec: VideoCodec) -> String {
        if chosen.matrix.isHardware { return "it encodes \(codec)" }
        return request.hardware == .off ? "--hw off" : "no hardware here encodes \(codec)"
    }
}
