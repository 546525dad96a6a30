import CLibVA
package import VTXMedia

/// The GPU's video processor: a `VAEntrypointVideoProc` context (va_vpp.h).
///
/// Unchecked: one thread at a time calls it; the IDs do not change after `init`.
package final class VideoProcessor: @unchecked Sendable {
    private let display: Display
    private let config: VAConfigID
    private let context: VAContextID
    /// A filter's buffer points to it, and drivers differ in when they read it.
    private let metadata: UnsafeMutablePointer<VAHdrMetaDataHDR10>

    /// - Parameter size: The size of the target surfaces.
    package init(_ display: Display, size: PixelSize) throws(VAError) {
        var config: VAConfigID = 0
        try check(
            vaCreateConfig(display.pointer, VAProfileNone, VAEntrypointVideoProc, nil, 0, &config), "vaCreateConfig")
        var context: VAContextID = 0
        let status = vaCreateContext(
            display.pointer, config, Int32(size.width), Int32(size.height), VA_PROGRESSIVE, nil, 0, &context)
        if status != VA_STATUS_SUCCESS { vaDestroyConfig(display.pointer, config) }
        try check(status, "vaCreateContext")
        self.display = display
        self.config = config
        self.context = context
        metadata = .allocate(capacity: 1)
        metadata.initialize(to: VAHdrMetaDataHDR10())
    }

    deinit {
        vaDestroyContext(display.pointer, context)
        vaDestroyConfig(display.pointer, config)
        metadata.deallocate()
    }

    /// Returns how many frames before and after the current one an algorithm needs.
    package func references(
        of algorithm: DeinterlacingAlgorithm
    ) throws(VAError) -> (before: Int, after: Int) {
        var filter = try makeBuffer(VAProcFilterParameterBufferType, Self.deinterlacing(algorithm))
        defer { vaDestroyBuffer(display.pointer, filter) }
        var caps = VAProcPipelineCaps()
        try check(
            vaQueryVideoProcPipelineCaps(display.pointer, context, &filter, 1, &caps), "vaQueryVideoProcPipelineCaps")
        return (Int(caps.num_forward_references), Int(caps.num_backward_references))
    }

    /// Converts a share of a filter's maximum to the driver's scale: each driver has its own.
    ///
    /// - Parameter share: From 0 to 1.
    package func strength(of filter: VideoProcFilter, share: Float) throws(VAError) -> Float {
        var (caps, count) = (VAProcFilterCap(), UInt32(1))
        try check(
            vaQueryVideoProcFilterCaps(
                display.pointer, context, VAProcFilterType(rawValue: filter.rawValue), &caps, &count),
            "vaQueryVideoProcFilterCaps")
        return caps.range.min_value + (caps.range.max_value - caps.range.min_value) * share
    }

    /// Starts passes onto one target, each drawn over the previous ones. As with every surface, the target's next
    /// reader waits for them.
    package func process(_ passes: [ProcessingPass]) throws(VAError) {
        guard let target = passes.first?.target else { return }
        var memory: [PipelineMemory] = []
        // Drivers may read all of it until the picture ends.
        defer { withExtendedLifetime(memory) {} }
        for pass in passes { memory.append(PipelineMemory(pass, display, try filters(of: pass))) }
        var buffers: [VABufferID] = []
        defer { buffers.forEach { vaDestroyBuffer(display.pointer, $0) } }
        for item in memory { buffers.append(try makeBuffer(VAProcPipelineParameterBufferType, item.parameters)) }
        try render(&buffers, onto: target)
    }

    private func filters(of pass: ProcessingPass) throws(VAError) -> [VABufferID] {
        var filters: [VABufferID] = []
        if let algorithm = pass.deinterlacing {
            let parameters = Self.deinterlacing(
                algorithm, isBottomFieldFirst: pass.isBottomFieldFirst, isSecondField: pass.isSecondField)
            filters.append(try makeBuffer(VAProcFilterParameterBufferType, parameters))
        }
        let strengths = [(VAProcFilterNoiseReduction, pass.denoising), (VAProcFilterSharpening, pass.sharpening)]
        for case (let type, let value?) in strengths {
            var parameters = VAProcFilterParameterBuffer()
            (parameters.type, parameters.value) = (type, value)
            filters.append(try makeBuffer(VAProcFilterParameterBufferType, parameters))
        }
        if let mapping = pass.toneMapping {
            filters.append(try makeBuffer(VAProcFilterParameterBufferType, toneMapping(mapping)))
        }
        return filters
    }

    private func render(_ buffers: inout [VABufferID], onto target: VASurfaceID) throws(VAError) {
        try check(vaBeginPicture(display.pointer, context, target), "vaBeginPicture")
        let status = vaRenderPicture(display.pointer, context, &buffers, Int32(buffers.count))
        // End a picture in any case, or the context becomes unusable.
        let ended = vaEndPicture(display.pointer, context)
        try check(status, "vaRenderPicture")
        try check(ended, "vaEndPicture")
    }

    private func makeBuffer<Parameters: BitwiseCopyable>(
        _ type: VABufferType, _ parameters: Parameters
    ) throws(VAError) -> VABufferID {
        var buffer: VABufferID = 0
        var parameters = parameters
        let size = UInt32(MemoryLayout<Parameters>.size)
        try check(vaCreateBuffer(display.pointer, context, type, size, 1, &parameters, &buffer), "vaCreateBuffer")
        return buffer
    }

    private static func deinterlacing(
        _ algorithm: DeinterlacingAlgorithm, isBottomFieldFirst: Bool = false, isSecondField: Bool = false
    ) -> VAProcFilterParameterBufferDeinterlacing {
        var parameters = VAProcFilterParameterBufferDeinterlacing()
        parameters.type = VAProcFilterDeinterlacing
        parameters.algorithm = VAProcDeinterlacingType(rawValue: algorithm.rawValue)
        let keepsBottom = isBottomFieldFirst != isSecondField
        parameters.flags =
            (isBottomFieldFirst ? UInt32(VA_DEINTERLACING_BOTTOM_FIELD_FIRST) : 0)
            | (keepsBottom ? UInt32(VA_DEINTERLACING_BOTTOM_FIELD) : 0)
        return parameters
    }

    private func toneMapping(_ mapping: ToneMapping) -> VAProcFilterParameterBufferHDRToneMapping {
        metadata.pointee = VAHdrMetaDataHDR10(mapping)
        var parameters = VAProcFilterParameterBufferHDRToneMapping()
        parameters.type = VAProcFilterHighDynamicRangeToneMapping
        parameters.data.metadata_type = VAProcHighDynamicRangeMetadataHDR10
        parameters.data.metadata = UnsafeMutableRawPointer(metadata)
        parameters.data.metadata_size = UInt32(MemoryLayout<VAHdrMetaDataHDR10>.size)
        return parameters
    }
}

/// A pass with the memory that its parameters point to: regions, filters and references.
private final class PipelineMemory {
    private let display: Display
    private let regions: UnsafeMutableBufferPointer<VARectangle>
    private let filters: UnsafeMutableBufferPointer<VABufferID>
    private let forward: UnsafeMutableBufferPointer<VASurfaceID>
    private let backward: UnsafeMutableBufferPointer<VASurfaceID>
    let parameters: VAProcPipelineParameterBuffer

    /// - Parameter filters: Buffers, which are destroyed with the object.
    init(_ pass: ProcessingPass, _ display: Display, _ filters: [VABufferID]) {
        self.display = display
        regions = Self.copy([pass.sourceRegion.native, pass.targetRegion.native])
        self.filters = Self.copy(filters)
        forward = Self.copy(pass.forwardReferences)
        backward = Self.copy(pass.backwardReferences)
        var parameters = pass.parameters
        parameters.surface_region = UnsafePointer(regions.baseAddress)
        parameters.output_region = regions.baseAddress.map { UnsafePointer($0 + 1) }
        parameters.filters = self.filters.baseAddress
        parameters.num_filters = UInt32(filters.count)
        parameters.forward_references = forward.baseAddress
        parameters.num_forward_references = UInt32(forward.count)
        parameters.backward_references = backward.baseAddress
        parameters.num_backward_references = UInt32(backward.count)
        self.parameters = parameters
    }

    deinit {
        filters.forEach { vaDestroyBuffer(display.pointer, $0) }
        regions.deallocate()
        filters.deallocate()
        forward.deallocate()
        backward.deallocate()
    }

    private static func copy<Element: BitwiseCopyable>(_ array: [Element]) -> UnsafeMutableBufferPointer<Element> {
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: array.count)
        _ = memory.initialize(fromContentsOf: array)
        return memory
    }
}

extension PixelRegion {
    fileprivate var native: VARectangle {
        VARectangle(
            x: Int16(clamping: x), y: Int16(clamping: y), width: UInt16(clamping: size.width),
            height: UInt16(clamping: size.height))
    }
}

extension ProcessingPass {
    fileprivate var parameters: VAProcPipelineParameterBuffer {
        var parameters = VAProcPipelineParameterBuffer()
        parameters.surface = source
        // Transparent: the target's area outside its region is unchanged.
        parameters.output_background_color = 0
        parameters.filter_flags = UInt32(VA_FRAME_PICTURE | VA_FILTER_SCALING_HQ)
        parameters.rotation_state = rotation.rawValue
        parameters.mirror_state = mirror.rawValue
        // The same on both sides. Otherwise, drivers assume BT.601 for small frames and BT.709 for large ones, and
        // change colors while scaling.
        parameters.surface_color_standard = VAProcColorStandardType(rawValue: colorStandard.rawValue)
        parameters.output_color_standard = parameters.surface_color_standard
        if toneMapping != nil {
            parameters.surface_color_standard = VAProcColorStandardBT2020
            parameters.output_color_standard = VAProcColorStandardBT709
        }
        parameters.input_color_properties.color_range = UInt8(
            isFullRange ? VA_SOURCE_RANGE_FULL : VA_SOURCE_RANGE_REDUCED)
        parameters.output_color_properties.color_range = parameters.input_color_properties.color_range
        return parameters
    }
}
