package import VTXMedia

/// Why a parameter set cannot be completed as wanted.
package enum CompletionError: Error, Sendable, Hashable {
    case bitstream(BitstreamError)
    /// More is to be shown than is coded.
    case displaySizeExceedsCodedSize(wanted: PixelSize, coded: PixelSize)
    /// What is cut off is not a multiple of the step in which the codec can cut.
    case displaySizeNotInCropUnits(wanted: PixelSize, coded: PixelSize, unit: PixelSize)
    /// Neither in Table E-1 nor a ratio of 16-bit numbers.
    case sampleAspectRatio(Rational)
    /// Not positive, or too large for 32 bits.
    case frameRate(Rational)
    /// The buffering periods are counted in ticks, so another tick would falsify them.
    case timingIsBoundToHRD(present: Rational?, wanted: Rational)
    /// No code point of H.273, or RGB in a stream whose chroma is subsampled.
    case color(ColorDescription)
}

/// What completing has altered: an element's value before and after, in words.
package struct ParameterSetChange: Sendable, Hashable, CustomStringConvertible {
    package var element: String
    package var before: String
    package var after: String

    package var description: String { "\(element): \(before) -> \(after)" }
}

/// Something completed, and what is different about it; no changes means that it was right as it was.
package struct Completed<Value: Sendable>: Sendable {
    package var value: Value
    package var changes: [ParameterSetChange]
}
