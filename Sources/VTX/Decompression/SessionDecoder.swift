import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem

/// The decoder of a session, used until the parameter sets change, with the transfer of its frames to the requested
/// format.
///
/// Unchecked: it is confined to the queue of one session.
final class SessionDecoder: @unchecked Sendable {
    /// Whether a frame has come out.
    private(set) var isProved = false
    private let decoder: RecoveringDecoder
    private let devices: DeviceCandidates
    private let configuration: VideoDecoderConfiguration
    private let traits: DecodingTraits
    /// The device of the current decoder's surfaces.
    private let place: Locked<SurfaceOrigin?>
    private var isFirst = true
    /// nil if the reorder depth is known.
    private var reordering: ReorderDetector?
    private var fitting: (shape: FrameFormat, PixelTransfer)?

    /// - Parameter picture: The format in the stream's SPS; nil if it cannot be parsed.
    /// - Throws: why no device can be opened.
    init(
        _ configuration: VideoDecoderConfiguration, _ contract: DecoderConfiguration,
        _ picture: StreamParameters.Picture?, _ decoders: DecoderCandidates, _ state: DecompressionState
    ) throws(SessionError) {
        self.configuration = configuration
        devices = decoders.devices
        traits = contract.traits
        if contract.isRealTime, traits.reorderDepth > 0 { reordering = ReorderDetector() }
        let opener = SessionDecoderOpener(
            configuration: configuration, contract: contract, devices: decoders.devices, state: state)
        let none = SessionError(.noSuchDecoder, "no device here decodes this \(configuration.codec)")
        decoder = try RecoveringDecoder(
            { hasFailed in
                if hasFailed { decoders.devices.renew() }
                return decoders.candidates(picture, contract.traits).map(opener.candidate)
            }, else: none, onReplacement: { decoders.devices.noteFailures($0) }, onProved: decoders.devices.noteSuccess)
        place = opener.place
    }

    /// Whether the limit of failures is reached, which ends the session.
    var hasEnded: Bool { decoder.hasEnded }

    /// - Parameter summary: That of the picture in the packet.
    func send(_ packet: Packet, _ summary: AccessUnit.Summary) throws(SessionError) {
        if reordering?.isReordered(summary) == true {
            decoder.expectReordering(of: traits.reorderDepth)
            reordering = nil
        }
        // A replacement can start at any unit that this decoder has started at.
        packet.isKeyFrame = isFirst || summary.isKeyFrame || summary.recoveryPoint == 0
        isFirst = false
        try decoder.send(packet)
    }

    /// Ends the input and drains the decoder.
    func finish() throws(SessionError) { try decoder.send(nil) }

    /// Returns the next frame; nil if there is none yet.
    func receive() throws(SessionError) -> Frame? {
        guard case .unit(let frame) = try decoder.receive() else { return nil }
        isProved = true
        return frame
    }

    /// Converts a frame to the requested format and size.
    func deliver(_ frame: Frame) throws(SessionError) -> PixelBuffer {
        guard configuration.convertsFrames else { return PixelBuffer(frame, at: place.withLock { $0 }) }
        let shape = FrameFormat(frame)
        if fitting?.shape != shape {
            let format = configuration.pixelFormat ?? shape.pixelFormat
            let target = FilterConfiguration(
                size: configuration.size ?? shape.size, pixelFormat: format, color: Self.color(of: shape, in: format),
                scaling: .fill, isSquare: false, deinterlacing: .never, orientation: .upright, frameRate: nil,
                sourceFrameRate: 25, timeBase: frame.timeBase)
            let software = try devices.openSoftware()
            fitting = (shape, PixelTransfer(device: software, software: software, target: target))
        }
        return PixelBuffer(try fitting?.1.fit(frame) ?? frame)
    }

    /// RGB has full range and no matrix.
    private static func color(of shape: FrameFormat, in format: PixelFormat) -> ColorDescription {
        var color = shape.color
        if format.isRGB { color.isFullRange = true }
        return color
    }
}

extension VideoDecoderConfiguration {
    fileprivate var convertsFrames: Bool { pixelFormat != nil || size != nil }
    fileprivate var wantsSurfaces: Bool { keepsSurfaces && !convertsFrames }
}

/// Opens the decoders of a session and records the device of the last one's surfaces.
private struct SessionDecoderOpener: Sendable {
    let configuration: VideoDecoderConfiguration
    let contract: DecoderConfiguration
    let devices: DeviceCandidates
    let state: DecompressionState
    let place = Locked<SurfaceOrigin?>(nil)

    @Sendable func candidate(_ candidate: DeviceCandidate) -> RecoveringDecoder.Candidate {
        CodecCandidate(candidate.matrix) { _ throws(SessionError) in
            let opened = try DeliveringDecoder(
                contract, on: try candidate.open(), keepsSurfaces: configuration.wantsSurfaces)
            let origin = SurfaceOrigin(generation: devices.generation, device: candidate.matrix.device)
            place.withLock { $0 = origin }
            state.noteDecoder(isHardware: candidate.matrix.isHardware)
            return opened
        }
    }
}
