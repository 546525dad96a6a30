import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSession

/// libavcodec's own decoders, on as many threads as there are cores, where that is safe.
final class SoftwareDecoder: VideoDecoder {
    private let context: DecoderContext
    /// nil where nothing has to be kept out.
    private let gate: CurrPicRefGuard?

    init(_ configuration: DecoderConfiguration) throws(SessionError) {
        let parameters = configuration.stream.parameters
        let codec = parameters.codecName
        let mayHang = codec == VideoCodec.hevc.rawValue
        gate = mayHang ? CurrPicRefGuard(extradata: parameters.extradata) : nil
        let isSerial = configuration.isRealTime || mayHang && gate == nil
        do {
            context = try DecoderContext(
                configuration.stream, threads: isSerial ? 1 : configuration.threads ?? 0,
                reorderDepth: configuration.reorderDepth)
        } catch {
            throw SessionError(error, while: "opening a decoder for \(codec)", else: .unsupportedFormat)
        }
    }

    func send(_ packet: Packet?) throws(SessionError) {
        if let gate, let packet, !gate.allows(packet) {
            throw SessionError(.badData, "decoding: a picture parameter set of screen content, or a broken one")
        }
        do { try context.send(packet) } catch {
            throw SessionError(error, while: "decoding", else: .badData)
        }
    }

    func reset() { context.reset() }

    func expectReordering(of depth: Int) { context.expectReordering(of: depth) }

    func missingPictures() -> MissingPictures { context.missingPictures() }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        do {
            let output = try context.receive()
            // From here on the range is said in one place, not also in the format.
            if case .unit(let frame) = output { frame.normalizeFullRangeFormat() }
            return output
        } catch {
            throw SessionError(error, while: "decoding", else: .badData)
        }
    }
}

/// Keeps from libavcodec's HEVC decoder what its threads would wait for without end.
///
/// In screen content coding a picture may refer to itself (H.265 7.4.3.3.9, `pps_curr_pic_ref_enabled_flag`).
/// libavcodec (7.1) refuses streams of that profile, but believes the flag in all others, and a damaged one may have
/// it: a thread that decodes such a picture waits until that picture is decoded.
struct CurrPicRefGuard {
    private let framing: NALFraming

    /// - Parameter extradata: the stream's: a record (`hvcC`), a byte stream, or nothing.
    /// - Returns: nil where it cannot be read, or has such a parameter set itself: then no threads are safe.
    init?(extradata: [UInt8]) {
        guard let framing = try? NALFraming(extradata: extradata, codec: .hevc),
            framing.units.allSatisfy({
                Self.allows(NALUnit(codec: .hevc, range: $0.indices, in: $0.span.bytes), of: $0.span.bytes)
            })
        else { return nil }
        self.framing = framing
    }

    func allows(_ packet: Packet) -> Bool {
        if let extradata = packet.newExtradata, CurrPicRefGuard(extradata: extradata) == nil { return false }
        let bytes = packet.bytes.bytes
        // libavcodec refuses a packet as a whole where a length is wrong.
        guard let units = try? framing.units(in: bytes, codec: .hevc) else { return true }
        if framing.framing == .startCodes { return units.allSatisfy { Self.allows($0, of: bytes) } }
        return units.flatMap { AnnexB.units(within: $0, of: bytes) }.allSatisfy { Self.allows($0, of: bytes) }
    }

    private static func allows(_ unit: NALUnit, of bytes: RawSpan) -> Bool {
        !unit.isPPS || allows(bytes.extracting(unit.range))
    }

    /// What follows the flags of the extensions is read differently in each profile; that there is an extension for
    /// screen content is enough. A set that ends too early has none.
    private static func allows(_ pps: RawSpan) -> Bool {
        do throws(BitstreamError) {
            return try !HEVCPPS(nalUnit: pps).hasScreenContentExtension
        } catch {
            return error == .truncated
        }
    }
}

extension HEVCPPS {
    /// `pps_scc_extension_flag`, the fourth of the flags.
    fileprivate var hasScreenContentExtension: Bool { hasExtension && trailing.bits.dropFirst(3).first == true }
}
