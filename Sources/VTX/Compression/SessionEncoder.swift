import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem

/// The encoder of a session, used until a property other than the rate changes.
final class SessionEncoder: Sendable {
    var options: EncoderOpenOptions { state.withLock { $0.options } }
    private let encoder: RecoveringEncoder
    private let devices: DeviceCandidates
    private let state: Locked<State>

    private struct State {
        var options: EncoderOpenOptions
        /// The open encoder, which is owned by `encoder`.
        weak var open: FittingEncoder?
        var lastSent: Int64?
        var description: (extradata: [UInt8], FormatDescription)?
    }

    /// - Throws: why no device can be opened.
    init(
        _ options: EncoderOpenOptions, _ encoders: EncoderCandidates, _ settings: CompressionSettings
    ) throws(SessionError) {
        devices = encoders.devices
        let state = Locked(State(options: options))
        let none = SessionError(.notAvailableNow, "no device here encodes \(encoders.codec) any more")
        encoder = try RecoveringEncoder(
            { hasFailed in
                if hasFailed { encoders.devices.renew() }
                var wanted = settings.configuration
                wanted.profile = state.withLock { $0.options.encoder.profile }
                return encoders.candidates(wanted).map { candidate in
                    CodecCandidate(candidate.matrix) { needs throws(SessionError) in
                        let opened = try FittingEncoder(
                            state.withLock { $0.options }.keeping(to: needs), on: candidate,
                            of: encoders.devices.generation,
                            software: try encoders.devices.openSoftware(), after: state.withLock { $0.lastSent })
                        state.withLock { $0.open = opened }
                        settings.note(candidate.matrix)
                        return opened
                    }
                }
            }, else: none, onReplacement: { encoders.devices.noteFailures($0) }, onProved: encoders.devices.noteSuccess)
        self.state = state
    }

    /// Whether the limit of failures is reached, which ends the session.
    var hasEnded: Bool { encoder.hasEnded }
    /// Whether anything has been sent.
    var isUsed: Bool { state.withLock { $0.lastSent != nil } }

    func send(_ request: EncodingRequest, at ticks: Int64) throws(SessionError) {
        let isHere = request.picture.place.map { place in
            state.withLock { $0.open }.map { place.isSame(as: $0.place) } ?? false
        }
        let frame = try (isHere ?? true ? request.picture : request.picture.inMemory()).reference()
        do { try frame.setRegions(request.options.regions) } catch {
            throw SessionError(error, while: "marking regions", else: .allocationFailed)
        }
        let timeBase = options.encoder.timeBase
        frame.setTimes(
            pts: ticks, duration: request.duration?.rescaled(to: timeBase).ticks ?? 0, timeBase: timeBase)
        state.withLock { $0.lastSent = ticks }
        try encoder.send(frame, forcesKeyFrame: request.options.forcesKeyFrame)
    }

    /// - Returns: false if the encoder cannot change its rate without a key frame.
    func changeRate(to options: EncoderOpenOptions) -> Bool {
        guard encoder.changeRate(to: options.encoder) else { return false }
        state.withLock { $0.options = options }
        return true
    }

    /// Whether the encoder can force key frames. SVT-AV1 has them only at its own interval and has to be replaced.
    var takesKeyFrames: Bool {
        options.encoder.codec != .av1 || state.withLock { $0.open }?.capabilities.isHardware == true
    }

    /// Ends the input and drains the encoder.
    func finish() throws(SessionError) { try encoder.send(nil, forcesKeyFrame: false) }

    /// Returns the next packet; nil if there is none yet.
    func receive() throws(SessionError) -> Packet? {
        guard case .unit(let packet) = try encoder.receive() else { return nil }
        return packet
    }

    /// Returns the format description of the packet that came out last.
    func formatDescription(of packet: Packet) throws(SessionError) -> FormatDescription {
        // SVT-AV1 codes with a sequence header that it decides on later than on the one for containers.
        if options.encoder.codec == .av1, packet.isKeyFrame { return try describe(av1: packet) }
        let extradata = encoder.parameters.extradata
        let known = state.withLock { $0.description }
        if let known, known.extradata == extradata || options.encoder.codec == .av1 { return known.1 }
        let made = try FormatDescription(codec: options.encoder.codec, extradata: extradata)
            .declaring(frameRate: options.encoder.frameRate)
        state.withLock { $0.description = (extradata, made) }
        return made
    }

    private func describe(av1 packet: Packet) throws(SessionError) -> FormatDescription {
        let bytes = Array(packet.bytes)
        let made = try FormatDescription(av1Stream: bytes)
        state.withLock { $0.description = (made.parameterSets.first ?? [], made) }
        return made
    }

    func makePool() throws(SessionError) -> PixelBufferPool {
        guard let open = state.withLock({ $0.open }) else {
            throw SessionError(.notAvailableNow, "no encoder is open")
        }
        return try open.makePool()
    }
}
