package import VTXMedia
package import VTXSession
package import VTXTask

/// Codec and device of a transcode, as `Planner` chooses them before it looks at the source.
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
