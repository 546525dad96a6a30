/// What the sample values mean: the code points of ITU-T H.273, as bitstreams and containers carry them.
public struct ColorDescription: Sendable, Hashable, Codable {
    /// H.273 8.1, `colour_primaries`; 2 is "unspecified".
    public var primaries: Int
    /// H.273 8.2, `transfer_characteristics`; 2 is "unspecified".
    public var transfer: Int
    /// H.273 8.3, `matrix_coefficients`; 2 is "unspecified".
    public var matrix: Int
    /// H.273 8.3, `video_full_range_flag`; nil where nothing says so.
    public var isFullRange: Bool?
    /// H.264/H.265 Annex E, `chroma_sample_loc_type`; nil where nothing says so.
    public var chromaLocation: Int?

    public static let unspecifiedCode = 2
    public static let unspecified = ColorDescription()
    /// SDR as HD has it (ITU-R BT.709).
    public static let bt709 = ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: false)

    public init(
        primaries: Int = unspecifiedCode, transfer: Int = unspecifiedCode, matrix: Int = unspecifiedCode,
        isFullRange: Bool? = nil, chromaLocation: Int? = nil
    ) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
        self.chromaLocation = chromaLocation
    }

    /// What this description says, and `other` where it says nothing.
    public func filled(from other: ColorDescription) -> ColorDescription {
        let unset = Self.unspecifiedCode
        return ColorDescription(
            primaries: primaries == unset ? other.primaries : primaries,
            transfer: transfer == unset ? other.transfer : transfer,
            matrix: matrix == unset ? other.matrix : matrix,
            isFullRange: isFullRange ?? other.isFullRange,
            chromaLocation: chromaLocation ?? other.chromaLocation)
    }

    /// SMPTE ST 2084 (PQ) or ARIB STD-B67 (HLG).
    public var isHDR: Bool { isPQ || isHLG }
    public var isPQ: Bool { transfer == 16 }
    public var isHLG: Bool { transfer == 18 }
}
