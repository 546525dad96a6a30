public import VTXMedia

/// Turns and mirrors pictures (VideoToolbox: `VTPixelRotationSession`).
///
///     let session = PixelRotationSession(track.orientation)
///     let upright = try session.rotate(frame)
public final class PixelRotationSession: Sendable {
    private let orientation: DisplayMatrix.Orientation
    private let filter: PictureFilter

    /// - Parameter orientation: what is done to pictures, clockwise; ``MediaTrack/orientation`` brings a track's pictures
    ///   upright.
    public convenience init(_ orientation: DisplayMatrix.Orientation) { self.init(orientation, backends: .standard) }

    /// - Parameters:
    ///   - quarterTurns: clockwise: 0, 1, 2, 3, or any other number (`kVTPixelRotationPropertyKey_Rotation`).
    ///   - flipsHorizontally: left and right change places, after the turn.
    ///   - flipsVertically: top and bottom change places, after the turn.
    public convenience init(quarterTurns: Int = 0, flipsHorizontally: Bool = false, flipsVertically: Bool = false) {
        self.init(Self.orientation(quarterTurns, flipsHorizontally, flipsVertically))
    }

    init(_ orientation: DisplayMatrix.Orientation, backends: SharedBackends) {
        self.orientation = orientation
        filter = PictureFilter(backends)
    }

    /// Makes a turned picture of another one (C: `VTPixelRotationSessionRotateImage`). It waits for that, on the calling
    /// thread. A picture on a GPU's surface stays there where the GPU can do it, and comes to memory where it cannot.
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

    /// A mirror after a turn is one before a turn the other way.
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
