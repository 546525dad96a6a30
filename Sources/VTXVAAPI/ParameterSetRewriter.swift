import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSession

/// Makes the parameter sets say what the stream is, whatever the driver wrote.
///
/// VA-API's parameters have no room for colours, sample shape and HEVC's cropping; a driver that takes no packed
/// headers leaves them out. And a container whose header holds the parameter sets (`hvc1`) wants none in its samples.
struct ParameterSetRewriter {
    private let codec: VideoCodec
    private let usesGlobalHeader: Bool
    private let completion: ParameterSetCompletion

    init(_ configuration: EncoderConfiguration) {
        codec = configuration.codec
        usesGlobalHeader = configuration.usesGlobalHeader
        let aspect = configuration.sampleAspectRatio
        completion = ParameterSetCompletion(
            codec: codec, displaySize: configuration.size, sampleAspectRatio: aspect.isPositive ? aspect : nil,
            color: configuration.color)
    }

    struct Completed {
        /// A key frame's access unit in Annex B; nil where the driver's own is right.
        var bytes: [UInt8]?
        /// Its parameter sets, in Annex B; empty where it has none.
        var parameterSets: [UInt8]
    }

    /// - Throws: `SessionError` where the driver's parameter sets cannot be read, or cannot be made right: a stream
    ///   that says something wrong of itself is worse than none.
    func complete(_ accessUnit: [UInt8]) throws(SessionError) -> Completed {
        let changed = try completed(accessUnit)
        let whole = changed ?? accessUnit
        let units = AnnexB.units(in: whole.span.bytes, codec: codec)
        let sets = AnnexB.write(units.filter(\.isParameterSet), of: whole.span.bytes)
        guard usesGlobalHeader, !sets.isEmpty else { return Completed(bytes: changed, parameterSets: sets) }
        let rest = AnnexB.write(units.filter { !$0.isParameterSet }, of: whole.span.bytes)
        return Completed(bytes: rest, parameterSets: sets)
    }

    private func completed(_ accessUnit: [UInt8]) throws(SessionError) -> [UInt8]? {
        do { return try completion.completing(annexB: accessUnit.span.bytes)?.value } catch {
            throw SessionError(.hardwareMalfunction, "the parameter sets that the GPU's driver wrote: \(error)")
        }
    }
}
