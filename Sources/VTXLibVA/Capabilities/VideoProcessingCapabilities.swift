import CLibVA
package import VTXMedia

/// The capabilities of the video processor (`vaQueryVideoProcFilters`, `...FilterCaps`, `...PipelineCaps`).
///
/// Scaling and conversion between the surface formats are always supported; va_vpp.h has no flag for them.
package struct VideoProcessingCapabilities: Sendable, Hashable {
    package var filters: [VideoProcFilter]
    /// Empty without deinterlacing.
    package var deinterlacing: [DeinterlacingAlgorithm]
    /// For HDR10 metadata. Some drivers claim support but do nothing, which only a self-test detects.
    package var toneMapping: ToneMappings
    package var rotations: Rotations
    package var mirrors: Mirrors
    package var blends: Blends
    /// Empty if the driver does not report them; then the surface formats apply.
    package var inputFormats: [FourCC]
    package var outputFormats: [FourCC]
    package var maxInputSize: PixelSize?
    package var maxOutputSize: PixelSize?

    package init(
        filters: [VideoProcFilter] = [], deinterlacing: [DeinterlacingAlgorithm] = [], toneMapping: ToneMappings = [],
        rotations: Rotations = [], mirrors: Mirrors = [], blends: Blends = [], inputFormats: [FourCC] = [],
        outputFormats: [FourCC] = [], maxInputSize: PixelSize? = nil, maxOutputSize: PixelSize? = nil
    ) {
        self.filters = filters
        self.deinterlacing = deinterlacing
        self.toneMapping = toneMapping
        self.rotations = rotations
        self.mirrors = mirrors
        self.blends = blends
        self.inputFormats = inputFormats
        self.outputFormats = outputFormats
        self.maxInputSize = maxInputSize
        self.maxOutputSize = maxOutputSize
    }
}

extension Display {
    func videoProcessing() throws(VAError) -> VideoProcessingCapabilities {
        try withConfig(.none, .videoProc) { config throws(VAError) in
            var context: VAContextID = 0
            try check(
                vaCreateContext(pointer, config, 1280, 720, 0, nil, 0, &context), "vaCreateContext")
            defer { vaDestroyContext(pointer, context) }
            return try videoProcessing(context)
        }
    }

    private func videoProcessing(_ context: VAContextID) throws(VAError) -> VideoProcessingCapabilities {
        var answers = VideoProcessingCapabilities(try pipelineCaps(context))
        answers.filters = (try? filters(context)) ?? []
        if answers.filters.contains(.deinterlacing) {
            answers.deinterlacing = (try? deinterlacing(context)) ?? []
        }
        if answers.filters.contains(.toneMapping) { answers.toneMapping = (try? toneMapping(context)) ?? [] }
        return answers
    }

    private func filters(_ context: VAContextID) throws(VAError) -> [VideoProcFilter] {
        var count: UInt32 = 32
        var list = [VAProcFilterType](repeating: VAProcFilterNone, count: Int(count))
        try check(vaQueryVideoProcFilters(pointer, context, &list, &count), "vaQueryVideoProcFilters")
        return list.prefix(Int(count)).map { VideoProcFilter(rawValue: $0.rawValue) }
            .filter { $0.rawValue != VAProcFilterNone.rawValue }
    }

    private func deinterlacing(_ context: VAContextID) throws(VAError) -> [DeinterlacingAlgorithm] {
        let caps = try filterCaps(
            context, VAProcFilterDeinterlacing, room: VAProcFilterCapDeinterlacing())
        return caps.map { DeinterlacingAlgorithm(rawValue: $0.type.rawValue) }.filter { $0.rawValue != 0 }.sorted()
    }

    private func toneMapping(_ context: VAContextID) throws(VAError) -> ToneMappings {
        let caps = try filterCaps(
            context, VAProcFilterHighDynamicRangeToneMapping, room: VAProcFilterCapHighDynamicRange())
        return caps.filter { $0.metadata_type == VAProcHighDynamicRangeMetadataHDR10 }
            .reduce(into: []) { $0.insert(ToneMappings(rawValue: UInt32($1.caps_flag))) }
    }

    /// Returns the capabilities of one filter; `room` is an empty entry.
    private func filterCaps<Entry: BitwiseCopyable>(
        _ context: VAContextID, _ filter: VAProcFilterType, room: Entry
    ) throws(VAError) -> [Entry] {
        var count: UInt32 = 16
        var list = [Entry](repeating: room, count: Int(count))
        let status = list.withUnsafeMutableBytes {
            vaQueryVideoProcFilterCaps(pointer, context, filter, $0.baseAddress, &count)
        }
        try check(status, "vaQueryVideoProcFilterCaps")
        return Array(list.prefix(Int(count)))
    }

    private func pipelineCaps(_ context: VAContextID) throws(VAError) -> VAProcPipelineCaps {
        var caps = VAProcPipelineCaps()
        try check(
            vaQueryVideoProcPipelineCaps(pointer, context, nil, 0, &caps), "vaQueryVideoProcPipelineCaps")
        return caps
    }
}

extension VideoProcessingCapabilities {
    fileprivate init(_ caps: VAProcPipelineCaps) {
        self.init(
            rotations: Rotations(rawValue: caps.rotation_flags), mirrors: Mirrors(rawValue: caps.mirror_flags),
            blends: Blends(rawValue: caps.blend_flags),
            inputFormats: Self.formats(caps.input_pixel_format, caps.num_input_pixel_formats),
            outputFormats: Self.formats(caps.output_pixel_format, caps.num_output_pixel_formats),
            maxInputSize: Self.size(caps.max_input_width, caps.max_input_height),
            maxOutputSize: Self.size(caps.max_output_width, caps.max_output_height))
    }

    private static func formats(_ list: UnsafeMutablePointer<UInt32>?, _ count: UInt32) -> [FourCC] {
        guard let list else { return [] }
        return UnsafeBufferPointer(start: list, count: Int(count)).map { FourCC(rawValue: $0) }
    }

    private static func size(_ width: UInt32, _ height: UInt32) -> PixelSize? {
        width > 0 && height > 0 ? PixelSize(Int(width), Int(height)) : nil
    }
}
