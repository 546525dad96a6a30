import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSession

/// Rewrites the headers of AV1: colors are in the sequence header, and HDR10 metadata in separate OBUs after it, which
/// libavcodec's `av1_vaapi` does not write. The sequence header stays with every key frame, even if the container's
/// header contains it.
struct SequenceHeaderRewriter: HeaderRewriter {
    private let size: PixelSize
    private let color: ColorDescription
    private let metadata: [AV1Metadata]

    init(_ configuration: EncoderConfiguration) {
        (size, color) = (configuration.size, configuration.color)
        metadata = AV1Metadata.all(of: configuration.hdrMetadata)
    }

    func complete(_ temporalUnit: [UInt8]) throws(SessionError) -> CompletedHeaders {
        do { return try completed(temporalUnit) } catch let error as SessionError { throw error } catch {
            throw SessionError(.hardwareMalfunction, "the sequence header that the GPU's driver wrote: \(error)")
        }
    }

    private func completed(_ temporalUnit: [UInt8]) throws -> CompletedHeaders {
        let bytes = temporalUnit.span.bytes
        let units = try OpenBitstreamUnit.units(in: bytes)
        guard let place = units.first(where: { $0.type == .sequenceHeader }) else {
            throw SessionError.malfunction("coded a key frame without a sequence header")
        }
        var header = try AV1SequenceHeader(bytes.extracting(place.payload))
        // AV1 has no cropping: padding would be visible.
        guard header.maxFrameSize == size else {
            throw SessionError.malfunction("coded pictures of \(header.maxFrameSize) in place of \(size)")
        }
        let colors = try header.colorConfig.completed(by: color)
        let isRight = colors == header.colorConfig
        header.colorConfig = colors
        let sequence = isRight ? bytes.copy(place.range) : header.unit
        let missing = metadata.filter { kind in
            !units.contains { $0.type == .metadata && kind.isOfType(bytes.extracting($0.payload)) }
        }
        guard !isRight || !missing.isEmpty else { return CompletedHeaders(bytes: nil, parameterSets: sequence) }
        let whole =
            bytes.copy(0..<place.range.lowerBound) + sequence + missing.flatMap(\.unit)
            + bytes.copy(place.range.upperBound..<bytes.byteCount)
        return CompletedHeaders(bytes: whole, parameterSets: sequence)
    }
}
