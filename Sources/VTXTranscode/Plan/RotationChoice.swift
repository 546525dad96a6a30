import VTXFFmpeg
import VTXMedia
import VTXTask

/// The orientation of the frames: cropping and rotation.
struct RotationChoice {
    /// The size after both.
    private(set) var size: PixelSize
    private(set) var sampleAspectRatio: Rational
    private(set) var crop: PictureCrop?
    /// The rotation of pixels.
    private(set) var orientation: DisplayMatrix.Orientation = .upright
    /// The display matrix for the container.
    private(set) var displayMatrix: DisplayMatrix?

    static func choose(
        _ request: TranscodeRequest, _ source: Source, _ container: Container, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> RotationChoice {
        let (shape, aspect) = (source.sample.shape, source.video.sampleAspectRatio)
        var choice = RotationChoice(
            size: shape.size, sampleAspectRatio: aspect.isPositive ? aspect : shape.sampleAspectRatio)
        choice.crop = try CropChoice(request, source).choose(&notes)
        choice.size = choice.crop?.region.size ?? choice.size
        choice.rotate(request, source, container, &notes)
        return choice
    }

    private mutating func rotate(
        _ request: TranscodeRequest, _ source: Source, _ container: Container, _ notes: inout PlanNotes
    ) {
        if request.orientation != .upright || request.hasCustomFilters && source.displayMatrix != nil {
            return rotateAsShown(request.orientation, after: source.displayMatrix, &notes)
        }
        guard let matrix = source.displayMatrix, matrix.orientation != .upright else { return }
        let canKeep = ContainerRules.of(container).holdsDisplayMatrix
        if canKeep && !request.rotatesPixels {
            displayMatrix = matrix
            notes.decide(
                "rotation", matrix.orientation?.rawValue ?? "kept",
                because: "the display matrix goes into the container")
            return
        }
        guard let orientation = matrix.orientation else { return noteLostMatrix(&notes) }
        rotatePixels(
            orientation, because: request.rotatesPixels ? nil : "\(container) cannot hold a display matrix", &notes)
    }

    private func noteLostMatrix(_ notes: inout PlanNotes) {
        notes.note(.downgradeRotation, "the display matrix is neither a rotation nor a mirror, and is lost")
    }

    /// Rotates as requested, starting with the display orientation. The output then needs no display matrix.
    private mutating func rotateAsShown(
        _ asked: DisplayMatrix.Orientation, after matrix: DisplayMatrix?, _ notes: inout PlanNotes
    ) {
        let shown = matrix.map(\.orientation) ?? .upright
        if shown == nil { noteLostMatrix(&notes) }
        let total = (shown ?? .upright).followed(by: asked)
        let reason: Message? = asked == .upright ? "filters and subtitles work on the picture as shown" : nil
        guard total == .upright else { return rotatePixels(total, because: reason, &notes) }
        notes.decide(
            "rotation", "the display matrix is dropped", because: "the stored orientation is requested")
    }

    /// - Parameter reason: Why, if it was not requested.
    private mutating func rotatePixels(
        _ orientation: DisplayMatrix.Orientation, because reason: Message?, _ notes: inout PlanNotes
    ) {
        self.orientation = orientation
        if orientation.isTransposed {
            size = size.transposed
            sampleAspectRatio = sampleAspectRatio.isPositive ? sampleAspectRatio.reciprocal : sampleAspectRatio
        }
        notes.decide("rotation", "\(orientation.rawValue), in the pixels", because: reason ?? "requested")
        if let reason {
            notes.note(.conversionRotation, "the pixels are \(orientation.inDegrees): \(reason)")
        }
    }
}
