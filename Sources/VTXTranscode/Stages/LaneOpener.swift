import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// Opens the stages of the lanes after the first one if GPUs encode: each on its lane's device, as far as the device
/// supports them.
struct LaneOpener {
    /// The opener of the first lane.
    let stages: StageOpener
    let decoders: DecoderOpener
    let backends: [any VideoBackend]

    /// - Returns: the stages of each lane, or the device that cannot encode.
    func open(
        after first: Result<OpenedStages, DeviceOpenFailure>, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> Result<[OpenedStages], DeviceOpenFailure> {
        guard case .success(let first) = first else { return first.map { [$0] } }
        var lanes = [first]
        for device in stages.encoding.laneDevices.dropFirst() {
            switch try open(on: device, &notes) {
            case .success(let opened): lanes.append(opened)
            case .failure(let refusal): return .failure(refusal)
            }
        }
        return .success(lanes)
    }

    private func open(
        on device: DeviceID, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> Result<OpenedStages, DeviceOpenFailure> {
        // Lanes share no sessions: each works on threads of its own.
        let devices = TranscodeDevices(backends)
        var (opener, told) = (stages, PlanNotes())
        opener.device = stages.device.on(device)
        opener.decoding = try decoders.openInMidFile(on: opener.device.gpu, devices)
        opener.recoversStart = true
        defer { notes.notices += told.notices.filter { !notes.notices.contains($0) } }
        return try opener.open(devices, &told)
    }
}

extension [OpenedStages] {
    /// Whether parameter sets differ between lanes. Some drivers report theirs only with the first key frame.
    var differ: Bool {
        let sets = Set(map(\.encoder.parameters.extradata))
        return Set(map(\.sessions.encoding.capabilities.device)).count > 1 && (sets.count > 1 || sets.contains([]))
    }
}
