import VTXFFmpeg
public import VTXMedia
import VTXSession
import VTXSystem

extension PixelBuffer {
    /// A part of a larger picture.
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

    /// One plane of a picture that comes from elsewhere.
    public struct Plane: Sendable {
        public var bytes: [UInt8]
        /// From one row to the next.
        public var bytesPerRow: Int
        /// Where the first row begins.
        public var offset: Int

        public init(_ bytes: [UInt8], bytesPerRow: Int, offset: Int = 0) {
            self.bytes = bytes
            self.bytesPerRow = bytesPerRow
            self.offset = offset
        }
    }

    /// Makes a picture of bytes in which the planes lie one after the other, as cameras and raw files have them.
    ///
    /// - Parameters:
    ///   - bytes: are copied.
    ///   - size: of the picture in `bytes`, before cropping.
    ///   - format: one of ``formats``.
    ///   - bytesPerRow: of the first plane, in bytes; the planes of Cb and Cr of I420 have half as many. nil where rows
    ///     follow each other without a gap.
    ///   - crop: the part that is kept; nil for all. In 4:2:0 it begins at even numbers, in 4:2:2 at an even column.
    ///   - color: what the samples mean.
    /// - Throws: ``SessionError``: `badParameter` where `bytes` is too short, rows are shorter than the picture, or the
    ///   crop reaches out of it; `unsupportedFormat`, `allocationFailed`.
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

    /// Makes a picture of separate planes.
    ///
    /// - Parameters:
    ///   - planes: as many as the format has, in its order: Y and CbCr, or Y, Cb and Cr, or BGRA.
    ///   - size: of the picture in the planes, before cropping.
    ///   - format: one of ``formats``.
    ///   - crop: the part that is kept; nil for all. In 4:2:0 it begins at even numbers, in 4:2:2 at an even column.
    ///   - color: what the samples mean.
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

    /// Gives the rows of a plane for reading, with what lies between them (CoreVideo:
    /// `CVPixelBufferLockBaseAddress`).
    ///
    /// - Parameters:
    ///   - plane: its number, from 0 to one less than ``planeCount``.
    ///   - body: gets the rows, and the number of bytes from one row to the next.
    /// - Throws: ``SessionError``: `badParameter` where the picture has no such plane, or is on a surface.
    public func withPlane<Result>(
        _ plane: Int, _ body: (_ bytes: RawSpan, _ bytesPerRow: Int) -> Result
    ) throws(SessionError) -> Result {
        guard (0..<planeCount).contains(plane) else {
            throw SessionError(
                .badParameter,
                "a picture of \(self) has \(planeCount) planes that can be read, so none is number \(plane)")
        }
        return frame.withPlane(plane) { body($0, frame.bytesPerRow(plane)) }
    }

    /// The samples of a plane in an array, row after row without gaps.
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

    /// The constructor's last step: nothing else refers to the picture yet.
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

/// Where the rows of a plane are in some bytes.
private struct PlanePlace {
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
                "rows of plane \(plane) have \(layout.rowByteCount) bytes, so \(bytesPerRow) bytes "
                    + "cannot be from one to the next")
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
    /// Lets each plane be written.
    func fill(_ body: (_ plane: Int, _ bytes: inout MutableRawSpan, _ bytesPerRow: Int) -> Void) {
        for plane in 0..<planeCount {
            withMutablePlane(plane) { body(plane, &$0, bytesPerRow(plane)) }
        }
    }
}
