public import VTXMedia

/// A session that rotates and flips pixel buffers (VideoToolbox: `VTPixelRotationSession`).
///
///     let session = PixelRotationSession(track.orientation)
///     let upright = try session.rotate(frame)
public final class PixelRotationSession: Sendable {
    private let orientation: DisplayMatrix.Orientation
    private let filter: PictureFilter

    /// Creates a session for an orientation.
    ///
    /// - Parameter orientation: The clockwise rotation and flip to apply. ``MediaTrack/orientation`` makes the frames
    ///   of a track upright.
    public convenience init(_ orientation: DisplayMatrix.Orientation) { self.init(orientation, backends: .standard) }

    /// Creates a session for a rotation followed by flips.
    ///
    /// - Parameters:
    ///   - quarterTurns: The number of clockwise quarter turns: 0, 1, 2, 3, or any other number
    ///     (`kVTPixelRotationPropertyKey_Rotation`).
    ///   - flipsHorizontally: Whether to swap left and right after the rotation.
    ///   - flipsVertically: Whether to swap top and bottom after the rotation.
    public convenience init(quarterTurns: Int = 0, flipsHorizontally: Bool = false, flipsVertically: Bool = false) {
        self.init(Self.orientation(quarterTurns, flipsHorizontally, flipsVertically))
    }

    init(_ orientation: DisplayMatrix.Orientation, backends: SharedBackends) {
        self.orientation = orientation
        filter = PictureFilter(backends)
    }

    /// Returns a rotated copy of a pixel buffer (C: `VTPixelRotationSessionRotateImage`). Blocks the calling thread
    /// until it is done. A buffer on a GPU's surface stays there if the GPU can rotate it; otherwise it is copied to
    /// memory.
    ///
    /// - Throws: ``SessionError``: `allocationFailed`, `hardwareMalfunction`.
    public func rotate(_ picture: PixelBuffer) throws(SessionError) -> PixelBuffer {
        guard orientation != .upright else { return picture }
        var target = PictureFilter.configuration(
            size: orientation.isTransposed ? picture.size.transposed : picture.size, format: picture.format,
            color: picture.color)
        target.orientation = orientation
        return try filter.apply(target, to: picture)
    }

    /// A flip after a rotation equals a flip before the opposite rotation.
    private static func orientation(
        _ turns: Int, _ isFlipped: Bool, _ isUpsideDown: Bool
    ) -> DisplayMatrix.Orientation {
        let turned: [DisplayMatrix.Orientation] = [.upright, .rotated90, .rotated180, .rotated270]
        let mirrored: [DisplayMatrix.Orientation] = [
            .mirrored, .mirroredRotated90, .mirroredRotated180, .mirroredRotated270,
        ]
        let quarters = (turns % 4 + 4) % 4
        switch (isFlipped, isUpsideDown) {
        case (false, false): return turned[quarters]
        case (true, true): return turned[(quarters + 2) % 4]
        case (true, false): return mirrored[(4 - quarters) % 4]
        case (false, true): return mirrored[(6 - quarters) % 4]
        }
    }
}
