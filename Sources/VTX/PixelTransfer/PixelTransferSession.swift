public import VTXMedia

/// A session that converts pixel buffers to another size, format, color matrix or range (VideoToolbox:
/// `VTPixelTransferSession`).
///
///     let session = try PixelTransferSession(PixelTransferConfiguration(size: PixelSize(1280, 720), format: .bgra))
///     let small = try session.transfer(frame)
///
/// A ``CompressionSession`` converts frames of another size or format itself.
public final class PixelTransferSession: Sendable {
    private let configuration: PixelTransferConfiguration
    private let filter: PictureFilter

    /// Creates a session.
    ///
    /// - Throws: ``SessionError``: `badParameter` if the size or the colors are out of range; `unsupportedFormat` if
    ///   the format is not in ``PixelBuffer/formats``.
    public convenience init(_ configuration: PixelTransferConfiguration) throws(SessionError) {
        try self.init(configuration, backends: .standard)
    }

    init(_ configuration: PixelTransferConfiguration, backends: SharedBackends) throws(SessionError) {
        try PixelBuffer.check(configuration.size ?? PixelSize(16, 16), configuration.format ?? .nv12)
        try configuration.color.check()
        self.configuration = configuration
        filter = PictureFilter(backends)
    }

    /// Returns a converted copy of a pixel buffer (C: `VTPixelTransferSessionTransferImage`). Blocks the calling thread
    /// until it is done. A buffer on a GPU's surface stays there if the GPU supports the whole conversion; otherwise it
    /// is copied to memory.
    ///
    /// - Throws: ``SessionError``: `unsupportedFormat` for a matrix that cannot be converted; `allocationFailed`;
    ///   `hardwareMalfunction`.
    public func transfer(_ picture: PixelBuffer) throws(SessionError) -> PixelBuffer {
        try filter.apply(try configuration.target(for: picture), to: picture)
    }
}

/// The output of a ``PixelTransferSession``.
public struct PixelTransferConfiguration: Sendable, Hashable {
    /// The size, in pixels; nil to keep the size of the source.
    public var size: PixelSize?
    /// One of ``PixelBuffer/formats``; nil to keep the format of the source.
    public var format: PixelFormat?
    /// How a source of another aspect ratio is fitted (`kVTPixelTransferPropertyKey_ScalingMode`).
    public var scalingMode = ScalingMode.fill
    /// The color description. Unspecified fields keep the source's values. If the source declares its matrix and range,
    /// samples are converted to another matrix (BT.601, BT.709, BT.2020) or range (`DestinationYCbCrMatrix`). Primaries
    /// and transfer function are attached without changing samples.
    public var color = ColorDescription.unspecified

    public init(
        size: PixelSize? = nil, format: PixelFormat? = nil, scalingMode: ScalingMode = .fill,
        color: ColorDescription = .unspecified
    ) {
        self.size = size
        self.format = format
        self.scalingMode = scalingMode
        self.color = color
    }

    func target(for picture: PixelBuffer) throws(SessionError) -> FilterConfiguration {
        let made = format ?? picture.format
        var target = PictureFilter.configuration(
            size: size ?? picture.size, format: made,
            color: color.filled(from: made.isRGB == picture.format.isRGB ? picture.color : picture.color(in: made)))
        target.scaling = scalingMode
        target.isSquare = scalingMode != .fill
        if !made.isRGB, !picture.format.isRGB {
            target.sourceMatrix = try Self.sourceMatrix(picture.color.matrix, to: target.color.matrix)
        }
        return target
    }

    /// nil if the samples stay as they are.
    private static func sourceMatrix(_ source: Int, to target: Int) throws(SessionError) -> Int? {
        let unspecified = ColorDescription.unspecifiedCode
        guard source != target, source != unspecified, target != unspecified else { return nil }
        guard let one = matrices[source], let other = matrices[target] else {
            throw SessionError(
                .unsupportedFormat, "samples of matrix \(source) are not converted to matrix \(target)")
        }
        return one == other ? nil : source
    }

    /// BT.601 has two code points (H.273 8.3).
    private static let matrices = [1: 1, 5: 6, 6: 6, 9: 9]
}
