import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSession

/// Corrects the headers of key frames to match the stream, whatever the driver wrote.
protocol HeaderRewriter: Sendable {
    /// - Throws: `SessionError` if the driver's headers cannot be parsed or corrected: a stream with wrong headers is
    ///   worse than none.
    func complete(_ accessUnit: [UInt8]) throws(SessionError) -> CompletedHeaders
}

struct CompletedHeaders {
    /// A key frame with corrected headers; nil if the driver's are right.
    var bytes: [UInt8]?
    /// The parameter sets in Annex B, or the sequence header; empty if there are none.
    var parameterSets: [UInt8]
}

/// Rewrites the headers of H.264 and HEVC.
///
/// VA-API's parameters lack colors, sample aspect ratio, HEVC's cropping and HDR10 metadata; drivers without packed
/// headers omit them. Containers with parameter sets in their header (`hvc1`) allow none in samples.
struct ParameterSetRewriter: HeaderRewriter {
    private let codec: NALCodec
    private let usesGlobalHeader: Bool
    private let completion: ParameterSetCompletion
    private let hdrMessages: [SEIMessage]

    init(_ configuration: EncoderConfiguration, _ codec: NALCodec) {
        self.codec = codec
        usesGlobalHeader = configuration.usesGlobalHeader
        let aspect = configuration.sampleAspectRatio
        completion = ParameterSetCompletion(
            codec: codec, displaySize: configuration.size, sampleAspectRatio: aspect.isPositive ? aspect : nil,
            color: configuration.color)
        let (display, light) = (configuration.hdrMetadata.masteringDisplay, configuration.hdrMetadata.contentLightLevel)
        // Like libavcodec with packed headers.
        hdrMessages =
            codec == .h264
            ? [] : [display.map { SEIMessage($0) }, light.map { SEIMessage($0) }].compactMap(\.self)
    }

    func complete(_ accessUnit: [UInt8]) throws(SessionError) -> CompletedHeaders {
        let changed = try completed(accessUnit)
        let whole = changed ?? accessUnit
        let units = AnnexB.units(in: whole.span.bytes, codec: codec)
        let sets = AnnexB.write(units.filter(\.isParameterSet), of: whole.span.bytes)
        let removesSets = usesGlobalHeader && !sets.isEmpty
        let missing = missingMessages(units, of: whole.span.bytes)
        guard removesSets || !missing.isEmpty else { return CompletedHeaders(bytes: changed, parameterSets: sets) }
        let kept = removesSets ? units.filter { !$0.isParameterSet } : units
        return CompletedHeaders(
            bytes: Self.write(kept, of: whole.span.bytes, with: missing, codec), parameterSets: sets)
    }

    /// Returns the HDR10 messages that no SEI unit contains.
    private func missingMessages(_ units: [NALUnit], of bytes: RawSpan) -> [SEIMessage] {
        guard !hdrMessages.isEmpty else { return [] }
        let present = units.filter(\.isSEI).flatMap {
            (try? SEIMessage.messages(in: bytes.extracting($0.range), codec: codec)) ?? []
        }
        return hdrMessages.filter { message in !present.contains { $0.type == message.type } }
    }

    /// Inserts the messages before the first slice.
    private static func write(
        _ units: [NALUnit], of bytes: RawSpan, with messages: [SEIMessage], _ codec: NALCodec
    ) -> [UInt8] {
        guard !messages.isEmpty else { return AnnexB.write(units, of: bytes) }
        let slices = units.firstIndex(where: \.isVCL) ?? units.endIndex
        return AnnexB.write(Array(units[..<slices]), of: bytes) + AnnexB.startCode
            + SEIMessage.nalUnit(messages, codec: codec) + AnnexB.write(Array(units[slices...]), of: bytes)
    }

    private func completed(_ accessUnit: [UInt8]) throws(SessionError) -> [UInt8]? {
        do { return try completion.completing(annexB: accessUnit.span.bytes)?.value } catch {
            throw SessionError(.hardwareMalfunction, "the parameter sets that the GPU's driver wrote: \(error)")
        }
    }
}
