import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSession

/// Checks a driver's output frame by frame. Only a decoder can check the contents of slices or tiles.
protocol CodedFrameCheck {
    /// - Throws: if a driver reports success but returns no frame, another type of frame than requested, or the
    ///   previous frame again.
    mutating func check(_ packet: Packet) throws(SessionError)
}

/// Checks H.264 and HEVC.
struct CodedSliceCheck: CodedFrameCheck {
    private let codec: NALCodec
    private var last: Packet?

    init(_ codec: NALCodec) { self.codec = codec }

    mutating func check(_ packet: Packet) throws(SessionError) {
        var first: NALUnit?
        AnnexB.forEachUnit(in: packet.bytes.bytes, codec: codec) { if first == nil, $0.isVCL { first = $0 } }
        guard let first else { throw .malfunction("returned a coded frame without a slice") }
        guard first.isIDR == packet.isKeyFrame else {
            throw .malfunction("coded \(first) in place of \(packet.isKeyFrame ? "an" : "no") IDR")
        }
        // Slice headers count frames, except those of key frames.
        if !packet.isKeyFrame, last?.hasBytes(of: packet) == true { throw .repeatedFrame }
        last = try? packet.reference()
    }
}

/// Checks AV1.
struct TemporalUnitCheck: CodedFrameCheck {
    private var hasOrderHints = false
    private var last: Packet?

    mutating func check(_ packet: Packet) throws(SessionError) {
        let start: AV1FrameStart?
        do { start = try frameStart(in: packet) } catch {
            throw .malfunction("returned a temporal unit that cannot be read: \(error)")
        }
        guard let start else { throw .malfunction("returned a temporal unit without a frame") }
        guard start.isShownKeyFrame == packet.isKeyFrame else {
            throw .malfunction("coded \(packet.isKeyFrame ? "another frame in place of a" : "a") key frame")
        }
        // Frame headers count frames if the sequence has order hints, except those of key frames.
        if hasOrderHints, !packet.isKeyFrame, last?.hasBytes(of: packet) == true { throw .repeatedFrame }
        last = try? packet.reference()
    }

    /// nil without a coded frame.
    private mutating func frameStart(in packet: Packet) throws(BitstreamError) -> AV1FrameStart? {
        let bytes = packet.bytes.bytes
        let units = try OpenBitstreamUnit.units(in: bytes)
        if let header = units.first(where: { $0.type == .sequenceHeader }) {
            hasOrderHints = try AV1SequenceHeader(bytes.extracting(header.payload)).hasOrderHints
        }
        guard let frame = units.first(where: \.type.hasFrameHeader), units.contains(where: \.type.hasTiles) else {
            return nil
        }
        return try AV1FrameStart(bytes.extracting(frame.payload))
    }
}

extension SessionError {
    /// Returns the error for a driver that did not do what it reported.
    static func malfunction(_ what: String) -> SessionError {
        SessionError(.hardwareMalfunction, "the GPU's driver \(what)")
    }

    fileprivate static var repeatedFrame: SessionError { malfunction("returned the same frame twice") }
}
