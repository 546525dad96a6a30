package import VTXMedia

/// `aspect_ratio_info_present_flag` and what follows (H.264 E.1.1, H.265 E.2.1).
package struct AspectRatioInfo: SyntaxStructure {
    /// `aspect_ratio_idc`, Table E-1; 255 is Extended_SAR.
    package var idc = 0
    package var sarWidth = 0
    package var sarHeight = 0

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.u(8, &idc, "aspect_ratio_idc")
        guard idc == Self.extendedSAR else { return }
        try coder.u(16, &sarWidth, "sar_width")
        try coder.u(16, &sarHeight, "sar_height")
    }

    static let extendedSAR = 255

    /// Table E-1, from 1 on, the same in H.264 and H.265.
    private static let ratios: [(Int, Int)] = [
        (1, 1), (12, 11), (10, 11), (16, 11), (40, 33), (24, 11), (20, 11), (32, 11), (80, 33), (18, 11), (15, 11),
        (64, 33), (160, 99), (4, 3), (3, 2), (2, 1),
    ]

    /// The sample aspect ratio; nil for unspecified, reserved codes and zeros.
    package var ratio: Rational? {
        if idc == Self.extendedSAR { return sarWidth > 0 && sarHeight > 0 ? Rational(sarWidth, sarHeight) : nil }
        guard idc >= 1, idc <= Self.ratios.count else { return nil }
        return Rational(Self.ratios[idc &- 1].0, Self.ratios[idc &- 1].1)
    }

    /// Creates the code for a sample aspect ratio; nil if it does not fit into 16 bits.
    package init?(_ ratio: Rational) {
        let reduced = ratio.reduced
        guard reduced.isPositive, reduced.numerator <= 0xffff, reduced.denominator <= 0xffff else { return nil }
        if let index = Self.ratios.firstIndex(where: { $0 == (reduced.numerator, reduced.denominator) }) {
            idc = index &+ 1
        } else {
            (idc, sarWidth, sarHeight) = (Self.extendedSAR, reduced.numerator, reduced.denominator)
        }
    }
}

/// `overscan_info_present_flag` and what follows.
package struct OverscanInfo: SyntaxStructure {
    package var isAppropriate = false

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.flag(&isAppropriate)
    }
}

/// `video_signal_type_present_flag` and what follows (H.264 E.1.1, H.265 E.2.1).
package struct VideoSignalType: SyntaxStructure {
    /// `video_format`, Table E-2; 5 is "unspecified".
    package var videoFormat = 5
    package var isFullRange = false
    package var colour: ColourDescription?

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.u(3, &videoFormat, "video_format")
        try coder.flag(&isFullRange)
        try coder.optional(&colour)
    }
}

/// `colour_description_present_flag` and what follows: code points of ITU-T H.273.
package struct ColourDescription: SyntaxStructure {
    package var primaries = 2
    package var transfer = 2
    package var matrix = 2

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.u(8, &primaries, "colour_primaries")
        try coder.u(8, &transfer, "transfer_characteristics")
        try coder.u(8, &matrix, "matrix_coefficients")
    }
}

/// `chroma_loc_info_present_flag` and what follows; Figure E-1.
package struct ChromaLocationInfo: SyntaxStructure {
    package var topField = 0
    package var bottomField = 0

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.ue(&topField, "chroma_sample_loc_type_top_field", 0...5)
        try coder.ue(&bottomField, "chroma_sample_loc_type_bottom_field", 0...5)
    }
}

extension Rational {
    /// The same value in lowest terms; unchanged if it is not positive.
    var reduced: Rational {
        guard isPositive else { return self }
        var (a, b) = (numerator, denominator)
        while b != 0 { (a, b) = (b, a % b) }
        return Rational(numerator / a, denominator / a)
    }
}

extension ColorDescription {
    /// Combines the color information of a VUI.
    init(_ signal: VideoSignalType?, _ location: ChromaLocationInfo?) {
        self.init(
            primaries: signal?.colour?.primaries ?? Self.unspecifiedCode,
            transfer: signal?.colour?.transfer ?? Self.unspecifiedCode,
            matrix: signal?.colour?.matrix ?? Self.unspecifiedCode,
            isFullRange: signal?.isFullRange, chromaLocation: location?.topField)
    }
}
