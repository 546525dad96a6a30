import CFFmpeg
package import VTXMedia

extension Frame {
    /// The size of the visible picture. On a surface, the frame's width and height include what is cropped on the left
    /// and at the top.
    package var size: PixelSize {
        let origin = isOnSurface ? cropOrigin : (x: 0, y: 0)
        return PixelSize(Int(pointer.pointee.width) - origin.x, Int(pointer.pointee.height) - origin.y)
    }

    /// The format of the samples, in memory or on a surface.
    package var pixelFormat: PixelFormat { PixelFormat(surfaceFormat ?? AVPixelFormat(pointer.pointee.format)) }

    /// 0/1 if unknown.
    package var sampleAspectRatio: Rational {
        get { Rational(pointer.pointee.sample_aspect_ratio) }
        set { pointer.pointee.sample_aspect_ratio = newValue.avRational }
    }

    package var color: ColorDescription {
        get {
            ColorDescription(
                primaries: pointer.pointee.color_primaries, transfer: pointer.pointee.color_trc,
                matrix: pointer.pointee.colorspace, range: pointer.pointee.color_range,
                location: pointer.pointee.chroma_location)
        }
        set {
            pointer.pointee.color_primaries = newValue.avPrimaries
            pointer.pointee.color_trc = newValue.avTransfer
            pointer.pointee.colorspace = newValue.avMatrix
            pointer.pointee.color_range = newValue.avRange
            pointer.pointee.chroma_location = newValue.avChromaLocation
        }
    }

    /// Whether decoders are to show one of the fields again (soft telecine).
    package var repeatsField: Bool { pointer.pointee.repeat_pict > 0 }

    /// The metadata that filters have added.
    package var metadata: [MetadataEntry] { readDictionary(pointer.pointee.metadata) }

    package var hdrMetadata: HDRMetadata {
        get {
            HDRMetadata(
                masteringDisplay: sideData(AV_FRAME_DATA_MASTERING_DISPLAY_METADATA).flatMap(
                    MasteringDisplay.init(bytes:)),
                contentLightLevel: sideData(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL).flatMap(ContentLightLevel.init(bytes:)))
        }
        set {
            av_frame_remove_side_data(pointer, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA)
            av_frame_remove_side_data(pointer, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL)
            if let display = newValue.masteringDisplay {
                av_mastering_display_metadata_create_side_data(pointer)?.pointee = display.avMetadata
            }
            if let light = newValue.contentLightLevel {
                av_content_light_metadata_create_side_data(pointer)?.pointee = light.avMetadata
            }
        }
    }

    /// Removes HDR metadata, including that of each scene, after conversion to SDR.
    package func removeHDRMetadata() {
        for kind in [
            AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL,
            AV_FRAME_DATA_DYNAMIC_HDR_PLUS, AV_FRAME_DATA_DYNAMIC_HDR_VIVID, AV_FRAME_DATA_DOVI_RPU_BUFFER,
            AV_FRAME_DATA_DOVI_METADATA,
        ] { av_frame_remove_side_data(pointer, kind) }
    }

    package var displayMatrix: DisplayMatrix? {
        sideData(AV_FRAME_DATA_DISPLAYMATRIX).map(DisplayMatrix.init(bytes:))
    }

    /// Replaces a `yuvj` format with the equivalent `yuv` format and full range.
    package func normalizeFullRangeFormat() {
        guard let plain = AVPixelFormat(pointer.pointee.format).withoutFullRange else { return }
        pointer.pointee.format = plain.rawValue
        pointer.pointee.color_range = AVCOL_RANGE_JPEG
    }

    /// Copies the bytes of one plane, row by row without padding. For tests and checksums.
    package func planeBytes(_ plane: Int) -> [UInt8] {
        let format = AVPixelFormat(pointer.pointee.format)
        let rowLength = Int(av_image_get_linesize(format, pointer.pointee.width, Int32(plane)))
        guard rowLength > 0, let data = pointer.data(plane: plane),
            let descriptor = av_pix_fmt_desc_get(format)
        else { return [] }
        let isChroma = plane == 1 || plane == 2
        let shift = isChroma ? Int(descriptor.pointee.log2_chroma_h) : 0
        let rows = (size.height + (1 << shift) - 1) >> shift
        let stride = Int(pointer.lineSize(plane: plane))
        return (0..<rows).flatMap { row in
            UnsafeBufferPointer(start: data + row * stride, count: rowLength)
        }
    }
}

extension UnsafeMutablePointer<AVFrame> {
    func data(plane: Int) -> UnsafeMutablePointer<UInt8>? { pointee.extended_data[plane] }

    func lineSize(plane: Int) -> Int32 {
        withUnsafeBytes(of: &pointee.linesize) { $0.bindMemory(to: Int32.self)[plane] }
    }
}

extension FrameFormat {
    package init(_ frame: Frame) {
        self.init(
            size: frame.size, pixelFormat: frame.pixelFormat, sampleAspectRatio: frame.sampleAspectRatio,
            color: frame.color, isInterlaced: frame.isInterlaced)
    }
}

extension Frame {
    /// Returns the mean values of blocks distributed evenly over one component, as 8-bit samples, row by row. Only the
    /// blocks are read, not the whole frame.
    ///
    /// - Parameters:
    ///   - component: 0 for luma, 1 for Cb, 2 for Cr.
    ///   - grid: The number of blocks per row and per column.
    ///   - size: The size of a block, in samples; reduced if blocks would overlap.
    /// - Returns: the means; empty on a surface, and for a component that does not exist.
    package func blockMeans(of component: Int, grid: PixelSize, size: Int = 8) -> [UInt8] {
        guard !isOnSurface, let samples = Samples(pointer, component) else { return [] }
        let columns = samples.spans(grid.width, of: samples.size.width, size)
        let rows = samples.spans(grid.height, of: samples.size.height, size)
        return rows.flatMap { row in columns.map { samples.mean($0, row) } }
    }
}

/// One component of a frame in memory, planar or interleaved.
private struct Samples {
    let size: PixelSize
    private let data: UnsafeRawPointer
    private let bytesPerRow: Int
    private let step: Int
    private let shift: Int
    private let isDeep: Bool

    /// nil for a component that does not exist.
    init?(_ frame: UnsafeMutablePointer<AVFrame>, _ component: Int) {
        let (width, height) = (Int(frame.pointee.width), Int(frame.pointee.height))
        guard let format = av_pix_fmt_desc_get(AVPixelFormat(frame.pointee.format))?.pointee,
            component < Int(format.nb_components)
        else { return nil }
        let layout = withUnsafeBytes(of: format.comp) { $0.bindMemory(to: AVComponentDescriptor.self)[component] }
        guard let plane = frame.data(plane: Int(layout.plane)) else { return nil }
        let isChroma = component == 1 || component == 2
        size = PixelSize(
            Self.shrink(width, by: isChroma ? format.log2_chroma_w : 0),
            Self.shrink(height, by: isChroma ? format.log2_chroma_h : 0))
        data = UnsafeRawPointer(plane) + Int(layout.offset)
        bytesPerRow = Int(frame.lineSize(plane: Int(layout.plane)))
        step = Int(layout.step)
        isDeep = layout.depth > 8
        shift = Int(layout.shift) + max(0, Int(layout.depth) - 8)
    }

    private static func shrink(_ length: Int, by shift: UInt8) -> Int { (length + (1 << Int(shift)) - 1) >> Int(shift) }

    /// Returns a block in the middle of each of `count` equal parts of a side.
    func spans(_ count: Int, of length: Int, _ blockSize: Int) -> [Range<Int>] {
        (0..<count).map { index in
            let (start, end) = (index * length / count, (index + 1) * length / count)
            let width = min(blockSize, max(1, end - start))
            let first = min(length - width, (start + end - width) / 2)
            return first..<first + width
        }
    }

    func mean(_ columns: Range<Int>, _ rows: Range<Int>) -> UInt8 {
        var sum = 0
        for row in rows {
            let line = data + row * bytesPerRow
            for column in columns { sum += sample(line + column * step) }
        }
        let count = columns.count * rows.count
        return UInt8(clamping: (sum + count / 2) / count)
    }

    @inline(__always)
    private func sample(_ position: UnsafeRawPointer) -> Int {
        isDeep
            ? Int(UInt16(littleEndian: position.loadUnaligned(as: UInt16.self))) >> shift
            : Int(position.load(as: UInt8.self)) >> shift
    }
}

extension Frame {
    /// Copies the rows of a plane from a buffer, which may have a larger stride. The frame must have no other
    /// references.
    ///
    /// - Parameter bytesPerRow: The stride of the source buffer.
    /// - Returns: false if rows are missing.
    package func copyPlane(_ plane: Int, from bytes: RawSpan, bytesPerRow stride: Int) -> Bool {
        let planes = pixelFormat.layout(of: size)
        guard planes.indices.contains(plane), let target = pointer.data(plane: plane) else { return false }
        let layout = planes[plane]
        guard stride >= layout.rowByteCount,
            bytes.byteCount >= stride * (layout.rowCount - 1) + layout.rowByteCount
        else { return false }
        let ownStride = bytesPerRow(plane)
        bytes.withUnsafeBytes { source in
            guard let source = source.baseAddress else { return }
            for row in 0..<layout.rowCount {
                UnsafeMutableRawPointer(target + row * ownStride).copyMemory(
                    from: source + row * stride, byteCount: layout.rowByteCount)
            }
        }
        return true
    }
}
