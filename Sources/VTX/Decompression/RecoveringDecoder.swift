import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSession

/// An open decoder, with what brings its pictures to where they are wanted.
///
/// Unchecked: it belongs to one session's queue.
final class RecoveringDecoder: OpenCodec, @unchecked Sendable {
    let place: SurfaceOrigin
    let isHardware: Bool
    private(set) var isProved = false
    /// What was sent before the first frame came out: another decoder can begin with it.
    private(set) var unproved: [Packet] = []
    /// A decoder that takes this many packets without a frame is not merely filling its queue.
    private static let maxUnproved = 64
    private let device: any DeviceSession
    private let software: any DeviceSession
    private let decoder: any VideoDecoder
    private let configuration: VideoDecoderConfiguration
    private let traits: DecodingTraits
    /// nil where it is known how many frames are held back for their order.
    private var reordering: ReorderDetector?
    private var fitting: (shape: FrameFormat, PixelTransfer)?

    init(
        _ configuration: VideoDecoderConfiguration, _ contract: DecoderConfiguration, on candidate: DeviceCandidate,
        of generation: SharedBackends.Generation, software: any DeviceSession
    ) throws(SessionError) {
        self.configuration = configuration
        traits = contract.traits
        if contract.isRealTime, traits.reorderDepth > 0 { reordering = ReorderDetector() }
        self.software = software
        place = SurfaceOrigin(generation: generation, device: candidate.matrix.device)
        isHardware = candidate.matrix.isHardware
        device = try candidate.open()
        decoder = try device.makeDecoder(contract)
    }

    /// The picture is sent next.
    func prepare(for summary: AccessUnit.Summary) {
        guard reordering?.isReordered(summary) == true else { return }
        decoder.expectReordering(of: traits.reorderDepth)
        reordering = nil
    }

    func send(_ packet: Packet?) throws(SessionError) {
        if !isProved, let packet, let copy = try? packet.reference() { unproved.append(copy) }
        if unproved.count > Self.maxUnproved { unproved = [] }
        try decoder.send(packet)
    }

    /// The next frame; nil for none at present.
    func receive() throws(SessionError) -> Frame? {
        guard case .unit(let frame) = try decoder.receive() else { return nil }
        (isProved, unproved) = (true, [])
        return frame
    }

    /// The picture where it is wanted, in the samples that are wanted.
    func deliver(_ frame: Frame) throws(SessionError) -> PixelBuffer {
        guard let format = configuration.pixelFormat else {
            if configuration.keepsSurfaces { return PixelBuffer(frame, at: place) }
            return try PixelBuffer(frame, at: place).inMemory()
        }
        let shape = FrameFormat(frame)
        if fitting?.shape != shape {
            let target = FilterConfiguration(
                size: shape.size, pixelFormat: format, color: Self.color(of: shape, in: format), scaling: .fill,
                isSquare: false, deinterlacing: .never, orientation: .upright, frameRate: nil, sourceFrameRate: 25,
                timeBase: frame.timeBase)
            fitting = (shape, PixelTransfer(device: software, software: device, target: target))
        }
        let picture = try PixelBuffer(frame, at: place).inMemory()
        return PixelBuffer(try fitting?.1.fit(picture.frame) ?? picture.frame)
    }

    /// RGB has a full range, and no matrix.
    private static func color(of shape: FrameFormat, in format: PixelFormat) -> ColorDescription {
        var color = shape.color
        if format.isRGB { color.isFullRange = true }
        return color
    }
}
