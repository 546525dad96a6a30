import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSession

/// Checks what a driver coded, frame by frame. What the slices hold only a decoder can tell.
struct CodedFrameCheck {
    private let codec: VideoCodec
    private var last: Packet?

    init(_ codec: VideoCodec) { self.codec = codec }

    /// - Throws: where a driver reports success and returns no frame, another kind of frame than the one that was asked
    ///   for, or the frame before once more.
    mutating func check(_ packet: Packet) throws(SessionError) {
        var first: NALUnit?
        AnnexB.forEachUnit(in: packet.bytes.bytes, codec: codec) { if first == nil, $0.isVCL { first = $0 } }
        guard let first else { throw malfunction("returned a coded frame without a slice") }
        guard first.isIDR == packet.isKeyFrame else {
            throw malfunction("coded \(first) in place of \(packet.isKeyFrame ? "an" : "no") IDR")
        }
        // Slice headers count frames, but for those of key frames.
        if !packet.isKeyFrame, last?.hasBytes(of: packet) == true { throw malfunction("returned the same frame twice") }
        last = try? packet.reference()
    }

    private func malfunction(_ what: String) -> SessionError {
        SessionError(.hardwareMalfunction, "the GPU's driver \(what)")
    }
}
