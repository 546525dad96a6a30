import VTXMedia

/// The elements that the VUI of both codecs have in common.
protocol UsabilityInformation: Hashable {
    init()
    var aspectRatio: AspectRatioInfo? { get set }
    var videoSignal: VideoSignalType? { get set }
    var chromaLocation: ChromaLocationInfo? { get set }
}

extension H264VUI: UsabilityInformation {}
extension HEVCVUI: UsabilityInformation {}

extension UsabilityInformation {
    mutating func complete(sampleAspectRatio: Rational?) throws(CompletionError) {
        guard let ratio = sampleAspectRatio, aspectRatio?.ratio?.reduced != ratio.reduced else { return }
        guard let info = AspectRatioInfo(ratio) else { throw .sampleAspectRatio(ratio) }
        aspectRatio = info
    }

    /// Sets the fields that `color` specifies. Unspecified fields stay unchanged.
    mutating func complete(color: ColorDescription, chroma: ChromaSampling) throws(CompletionError) {
        let codes = [color.primaries, color.transfer, color.matrix]
        guard codes.allSatisfy((0...255).contains), (0...5).contains(color.chromaLocation ?? 0) else {
            throw .color(color)
        }
        // matrix_coefficients 0 is RGB and needs as much chroma as luma (E.2.1).
        guard color.matrix != 0 || chroma == .yuv444 else { throw .color(color) }
        completeSignal(color)
        // The location means something for 4:2:0 alone (E.2.1).
        if let location = color.chromaLocation, chroma == .yuv420, chromaLocation?.topField != location {
            var info = ChromaLocationInfo()
            (info.topField, info.bottomField) = (location, location)
            chromaLocation = info
        }
    }

    private mutating func completeSignal(_ color: ColorDescription) {
        let present = ColorDescription(videoSignal, nil)
        let wanted = color.filled(from: present)
        var signal = videoSignal ?? VideoSignalType()
        signal.isFullRange = wanted.isFullRange ?? false
        let codes = [wanted.primaries, wanted.transfer, wanted.matrix]
        if codes.contains(where: { $0 != ColorDescription.unspecifiedCode }) {
            var colour = ColourDescription()
            (colour.primaries, colour.transfer, colour.matrix) = (codes[0], codes[1], codes[2])
            signal.colour = colour
        }
        if videoSignal != nil || signal.colour != nil || wanted.isFullRange != nil { videoSignal = signal }
    }
}

extension CroppingOffsets {
    /// Crops on the right and at the bottom: encoders place the picture at the top left.
    init(coded: PixelSize, wanted: PixelSize, unit: PixelSize) throws(CompletionError) {
        guard wanted.width > 0, wanted.height > 0, wanted.width <= coded.width, wanted.height <= coded.height else {
            throw .displaySizeExceedsCodedSize(wanted: wanted, coded: coded)
        }
        let (right, bottom) = (coded.width - wanted.width, coded.height - wanted.height)
        guard right % unit.width == 0, bottom % unit.height == 0 else {
            throw .displaySizeNotInCropUnits(wanted: wanted, coded: coded, unit: unit)
        }
        self.init(left: 0, right: right / unit.width, top: 0, bottom: bottom / unit.height)
    }
}

extension SequenceParameterSet {
    /// Returns the differences between two sets, as text for users.
    func changes(from old: Self) -> [ParameterSetChange] {
        let rows: [(String, String, String)] = [
            ("display size", "\(old.displaySize)", "\(displaySize)"),
            ("sample aspect ratio", old.sampleAspectRatio.text, sampleAspectRatio.text),
            ("colour", old.color.text, color.text),
            ("frame rate", old.frameRate.text, frameRate.text),
        ]
        return rows.filter { $0.1 != $0.2 }.map { ParameterSetChange(element: $0.0, before: $0.1, after: $0.2) }
    }
}

extension Rational? {
    fileprivate var text: String { self?.description ?? "none" }
}

extension ColorDescription {
    fileprivate var text: String {
        let range = isFullRange.map { $0 ? "full" : "limited" } ?? "no range"
        return "\(primaries)/\(transfer)/\(matrix), \(range), chroma \(chromaLocation.map(String.init) ?? "none")"
    }
}
