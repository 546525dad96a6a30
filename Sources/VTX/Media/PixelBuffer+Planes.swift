import VTXFFmpeg
public import VTXMedia
import VTXSession
import VTXSystem

extension PixelBuffer {
    /// A region of a larger frame.
    public struct Crop: Sendable, Hashable {
        public var x: Int
        public var y: Int
        public var size: PixelSize

        public init(x: Int, y: Int, size: PixelSize) {
            self.x = x
            self.y = y
            self.size = size
        }
    }

    /// A plane of a frame from another source.
    public struct Plane: Sendable {
        public var bytes: [UInt8]
        /// The distance between the beginnings of two rows, in bytes.
        public var bytesPerRow: Int
        /// The offset of the first row, in bytes.
        public var offset: Int

        public init(_ bytes: [UInt8], bytesPerRow: Int, offset: Int = 0) {
            self.bytes = bytes
            self.bytesPerRow = bytesPerRow
            self.offset = offset
        }
    }

    /// Creates a pixel buffer from bytes that contain the planes one after another, as from a camera or a raw file.
    ///
    /// - Parameters:
    ///   - bytes: The samples, which are copied.
    ///   - size: The size of the frame in `bytes`, before cropping.
    ///   - format: One of ``formats``.
    ///   - bytesPerRow: The number of bytes per row of the first plane; the Cb and Cr planes of I420 have half as many.
    ///     nil if rows have no padding.
    ///   - crop: The region to keep; nil for all. It begins at even coordinates in 4:2:0, and at an even column in
    ///     4:2:2.
    ///   - color: The color description.
    /// - Throws: ``SessionError``: `badParameter` if `bytes` is too short, rows are shorter than the frame, or the crop
    ///   exceeds the frame; `unsupportedFormat`; `allocationFailed`.
    public convenience init(
        bytes: RawSpan, size: PixelSize, format: PixelFormat, bytesPerRow: Int? = nil, crop: Crop? = nil,
        color: ColorDescription = .unspecified
    ) throws(SessionError) {
        try Self.check(size, format)
        let layout = format.layout(of: size)
        let places = try PlanePlace.contiguous(layout, bytesPerRow: bytesPerRow, in: bytes.byteCount)
        try self.init(size: size, format: format, color: color) { plane, target, targetStride in
            target.copyRows(of: bytes, at: places[plane], layout[plane], bytesPerRow: targetStride)
        }
        if let crop { try apply(crop) }
    }

    /// Creates a pixel buffer from separate planes.
    ///
    /// - Parameters:
    ///   - planes: The planes of the format in order: Y and CbCr, or Y, Cb and Cr, or BGRA.
    ///   - size: The size of the frame in the planes, before cropping.
    ///   - format: One of ``formats``.
    ///   - crop: The region to keep; nil for all. It begins at even coordinates in 4:2:0, and at an even column in
    ///     4:2:2.
    ///   - color: The color description.
    /// - Throws: the same as ``init(bytes:size:format:bytesPerRow:crop:color:)``.
    public convenience init(
        planes: [Plane], size: PixelSize, format: PixelFormat, crop: Crop? = nil,
        color: ColorDescription = .unspecified
    ) throws(SessionError) {
        try Self.check(size, format)
        let layout = format.layout(of: size)
        guard planes.count == layout.count else {
            throw SessionError(.badParameter, "\(format) has \(layout.count) planes, not \(planes.count)")
        }
        for (index, plane) in planes.enumerated() {
            try PlanePlace(plane).check(layout[index], index, in: plane.bytes.count)
        }
        try self.init(size: size, format: format, color: color) { index, target, targetStride in
            let bytes = planes[index].bytes
            target.copyRows(
                of: bytes.span.bytes, at: PlanePlace(planes[index]), layout[index], bytesPerRow: targetStride)
        }
        if let crop { try apply(crop) }
    }

    /// Calls a closure with the rows of a plane for reading, including any padding (CoreVideo:
    /// `CVPixelBufferLockBaseAddress`).
    ///
    /// - Parameters:
    ///   - plane: The index of the plane, less than ``planeCount``.
    ///   - body: Receives the rows and the number of bytes per row.
    /// - Throws: ``SessionError``: `badParameter` if there is no such plane, or the buffer is on a surface.
    public func withPlane<Result>(
        _ plane: Int, _ body: (_ bytes: RawSpan, _ bytesPerRow: Int) -> Result
    ) throws(SessionError) -> Result {
        guard (0..<planeCount).contains(plane) else {
            throw SessionError(
                .badParameter,
                "a picture of \(self) has \(planeCount) readable planes, so there is no plane \(plane)")
        }
        return frame.withPlane(plane) { body($0, frame.bytesPerRow(plane)) }
    }

    /// Returns the samples of a plane as an array, without padding.
    ///
    /// - Throws: the same as ``withPlane(_:_:)``.
    public func bytes(ofPlane plane: Int) throws(SessionError) -> [UInt8] {
        try withPlane(plane) { bytes, bytesPerRow in
            let layout = format.layout(of: size)[plane]
            var packed: [UInt8] = []
            packed.reserveCapacity(layout.rowByteCount * layout.rowCount)
            for row in 0..<layout.rowCount {
                packed.append(
                    bytes.extracting(droppingFirst: row * bytesPerRow).extracting(first: layout.rowByteCount))
            }
            return packed
        }
    }

    /// Crops in place, as the last step of an initializer: nothing else refers to the frame yet.
    private func apply(_ crop: Crop) throws(SessionError) {
        let isInside =
            crop.x >= 0 && crop.y >= 0 && crop.size.width > 0 && crop.size.height > 0
            && crop.size.width <= size.width && crop.size.height <= size.height
            && crop.x <= size.width - crop.size.width && crop.y <= size.height - crop.size.height
        guard isInside else {
            throw SessionError(
                .badParameter, "\(crop.size) at \(crop.x), \(crop.y) is not a part of a picture of \(size)")
        }
        let (sharesColumns, sharesRows) = (format.chroma < .yuv444, format.chroma == .yuv420)
        guard !sharesColumns || crop.x % 2 == 0, !sharesRows || crop.y % 2 == 0 else {
            throw SessionError(
                .badParameter,
                "a crop of \(format) begins at even numbers, not at \(crop.x), \(crop.y): "
                    + "two columns\(sharesRows ? " and two rows" : "") share their color")
        }
        do { try frame.crop(x: crop.x, y: crop.y, to: crop.size) } catch {
            throw SessionError(error, while: "cropping a picture", else: .badParameter)
        }
    }
}

/// The location of a plane's rows in a buffer.
struct PlanePlace {
    var offset: Int
    var bytesPerRow: Int

    init(offset: Int, bytesPerRow: Int) { (self.offset, self.bytesPerRow) = (offset, bytesPerRow) }

    init(_ plane: PixelBuffer.Plane) { self.init(offset: plane.offset, bytesPerRow: plane.bytesPerRow) }

    static func contiguous(
        _ layout: [PlaneLayout], bytesPerRow: Int?, in byteCount: Int
    ) throws(SessionError) -> [PlanePlace] {
        var places: [PlanePlace] = []
        var offset = 0
        for (index, plane) in layout.enumerated() {
            // A plane with half of the first one's samples in a row has half of its bytes.
            let isHalved = index > 0 && plane.rowByteCount <= (layout[0].rowByteCount + 1) / 2
            let stride = bytesPerRow.map { isHalved ? ($0 + 1) / 2 : $0 } ?? plane.rowByteCount
            let place = PlanePlace(offset: offset, bytesPerRow: stride)
            try place.check(plane, index, in: byteCount)
            places.append(place)
            offset += stride * plane.rowCount
        }
        return places
    }

    func check(_ layout: PlaneLayout, _ plane: Int, in byteCount: Int) throws(SessionError) {
        guard bytesPerRow >= layout.rowByteCount, bytesPerRow < 1 << 24 else {
            throw SessionError(
                .badParameter,
                "rows of plane \(plane) have \(layout.rowByteCount) bytes, so \(bytesPerRow) bytes per row are "
                    + "not possible")
        }
        let needed = bytesPerRow * (layout.rowCount - 1) + layout.rowByteCount
        guard offset >= 0, offset <= byteCount, byteCount - offset >= needed else {
            throw SessionError(
                .badParameter, "plane \(plane) needs \(needed) bytes after byte \(offset), and there are \(byteCount)")
        }
    }
}

extension MutableRawSpan {
    fileprivate mutating func copyRows(
        of source: RawSpan, at place: PlanePlace, _ layout: PlaneLayout, bytesPerRow: Int
    ) {
        for row in 0..<layout.rowCount {
            let from = place.offset + row * place.bytesPerRow
            replace(from: row * bytesPerRow, with: source.extracting(from..<from + layout.rowByteCount))
        }
    }
}

extension Frame {
    /// Calls a closure with each plane for writing.
    func fill(_ body: (_ plane: Int, _ bytes: inout MutableRawSpan, _ bytesPerRow: Int) -> Void) {
        for plane in 0..<planeCount {
            withMutablePlane(plane) { body(plane, &$0, bytesPerRow(plane)) }
        }
    }
}
