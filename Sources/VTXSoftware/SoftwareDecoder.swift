import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSession

/// Decodes with libavcodec's own decoders, with a thread per core unless that could hang.
final class SoftwareDecoder: VideoDecoder {
    private let context: DecoderContext
    /// nil if nothing needs to be filtered.
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
            throw SessionError(.badData, "decoding: a picture parameter set for screen content, or a damaged one")
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
            // From here on, only the color description contains the range, not the format.
            if case .unit(let frame) = output { frame.normalizeFullRangeFormat() }
            return output
        } catch {
            throw SessionError(error, while: "decoding", else: .badData)
        }
    }
}

/// Filters packets on which the threads of libavcodec's HEVC decoder would deadlock.
///
/// In screen content coding, a picture may reference itself (H.265 7.4.3.3.9, `pps_curr_pic_ref_enabled_flag`).
/// libavcodec (7.1) rejects streams of that profile, but honors the flag in all others, where a corrupt stream may set
/// it. A thread that decodes such a picture waits for itself.
struct CurrPicRefGuard {
    private let framing: NALFraming

    /// - Parameter extradata: The stream's extradata: a record (`hvcC`), a byte stream, or empty.
    /// - Returns: nil if it cannot be parsed, or contains such a parameter set itself. Decoding with threads is then
    ///   not safe.
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
        // libavcodec rejects the whole packet if a length is wrong.
        guard let units = try? framing.units(in: bytes, codec: .hevc) else { return true }
        if framing.framing == .startCodes { return units.allSatisfy { Self.allows($0, of: bytes) } }
        return units.flatMap { AnnexB.units(within: $0, of: bytes) }.allSatisfy { Self.allows($0, of: bytes) }
    }

    private static func allows(_ unit: NALUnit, of bytes: RawSpan) -> Bool {
        !unit.isPPS || allows(bytes.extracting(unit.range))
    }

    /// The syntax after the extension flags depends on the profile, so any screen content extension counts. A truncated
    /// parameter set has none.
    private static func allows(_ pps: RawSpan) -> Bool {
        do throws(BitstreamError) {
            return try !HEVCPPS(nalUnit: pps).hasScreenContentExtension
        } catch {
            return error == .truncated
        }
    }
}

extension HEVCPPS {
    /// `pps_scc_extension_flag`, the fourth extension flag.
    fileprivate var hasScreenContentExtension: Bool { hasExtension && trailing.bits.dropFirst(3).first == true }
}
