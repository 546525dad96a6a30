import VTXFFmpeg
import VTXMedia
import VTXSession

/// A decoder that also transfers frames to their destination. A frame that the device cannot transfer counts as not
/// decoded.
struct DeliveringDecoder: VideoDecoder {
    private let device: any DeviceSession
    private let decoder: any VideoDecoder
    private let keepsSurfaces: Bool

    init(
        _ contract: DecoderConfiguration, on device: any DeviceSession, keepsSurfaces: Bool
    ) throws(SessionError) {
        self.device = device
        self.keepsSurfaces = keepsSurfaces
        decoder = try device.makeDecoder(contract)
    }

    func send(_ packet: Packet?) throws(SessionError) { try decoder.send(packet) }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        let output = try decoder.receive()
        guard !keepsSurfaces, case .unit(let frame) = output, frame.isOnSurface else { return output }
        do { return .unit(try frame.download()) } catch {
            throw SessionError(error, while: "copying a picture from the GPU", else: .hardwareMalfunction)
        }
    }

    func reset() { decoder.reset() }
    func expectReordering(of depth: Int) { decoder.expectReordering(of: depth) }
    func missingPictures() -> MissingPictures { decoder.missingPictures() }
}
