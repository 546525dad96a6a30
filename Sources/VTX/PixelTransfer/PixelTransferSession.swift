public import VTXMedia

/// Makes pictures of another size, format, matrix or range (VideoToolbox: `VTPixelTransferSession`).
///
///     let session = try PixelTransferSession(PixelTransferConfiguration(size: PixelSize(1280, 720), format: .bgra))
///     let small = try session.transfer(frame)
///
/// A ``CompressionSession`` does it itself, for pictures that are not of its size or format.
public final class PixelTransferSession: Sendable {
    private let configuration: PixelTransferConfiguration
    private let filter: PictureFilter

    /// - Throws: ``SessionError``: `badParameter` for a size or colors that cannot be, `unsupportedFormat` for a format
    ///   that is not one of ``PixelBuffer/formats``.
    public convenience init(_ configuration: PixelTransferConfiguration) throws(SessionError) {
        try self.init(configuration, backends: .standard)
    }

    init(_ configuration: PixelTransferConfiguration, backends: SharedBackends) throws(SessionError) {
        try PixelBuffer.check(configuration.size ?? PixelSize(16, 16), configuration.format ?? .nv12)
        try configuration.color.check()
        self.configuration = configuration
        filter = PictureFilter(backends)
    }

    /// Makes a picture of another one (C: `VTPixelTransferSessionTransferImage`). It waits for that, on the calling thread.
    /// A picture on a GPU's surface stays there where the GPU can do it all, and comes to memory where it cannot.
    ///
    /// - Throws: ``SessionError``: `unsupportedFormat` for a matrix that cannot be converted, `allocationFailed`,
    ///   `hardwareMalfunction`.
    public func transfer(_ picture: PixelBuffer) throws(SessionError) -> PixelBuffer {
        try filter.apply(try configuration.target(for: picture), to: picture)
    }
}

/// What a ``PixelTransferSession`` makes of pictures.
public struct PixelTransferConfiguration: Sendable, Hashable {
    /// In pixels; nil for that of the picture.
    public var size: PixelSize?
    /// One of ``PixelBuffer/formats``; nil for that of the picture.
    public var format: PixelFormat?
    /// For a picture of another shape (`kVTPixelTransferPropertyKey_ScalingMode`).
    public var scalingMode = ScalingMode.fill
    /// What is unspecified stays as the picture says. Samples are converted to another matrix (BT.601, BT.709, BT.2020) and
    /// another range, where the picture says its own (`DestinationYCbCrMatrix`); primaries and transfer are attached, and
    /// change no sample.
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

    /// nil where samples stay as they are.
    private static func sourceMatrix(_ source: Int, to target: Int) throws(SessionError) -> Int? {
        let unspecified = ColorDescription.unspecifiedCode
        guard source != target, source != unspecified, target != unspecified else { return nil }
        guard let one = matrices[source], let other = matrices[target] else {
            throw SessionError(
                .unsupportedFormat, "samples of matrix \(source) are not converted to matrix \(target)")
        }
        return one == other ? nil : source
    }

    /// BT.601 has two numbers (H.273 8.3).
    private static let matrices = [1: 1, 5: 6, 6: 6, 9: 9]
}
