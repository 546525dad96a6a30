package import VTXMedia

/// The requested display size: both sides, one, or an upper limit.
package struct SizeRequest: Sendable, Hashable, Codable {
    package var width: Int?
    package var height: Int?
    /// Whether frames within the size stay unchanged.
    package var isLimit: Bool

    package init(width: Int?, height: Int?, isLimit: Bool = false) {
        (self.width, self.height, self.isLimit) = (width, height, isLimit)
    }

    package init(_ width: Int, _ height: Int) { self.init(width: width, height: height) }

    /// Parses `1280x720`, `1280x` and `x720`; nil for anything else.
    package init?(_ text: some StringProtocol, isLimit: Bool = false) {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        let sides = parts.map { Int($0) }
        guard parts.count == 2, zip(parts, sides).allSatisfy({ $0.isEmpty || ($1 ?? 0) > 0 }),
            sides[0] != nil || sides[1] != nil
        else { return nil }
        self.init(width: sides[0], height: sides[1], isLimit: isLimit)
    }

    /// Whether both sides are given, so that frames of another aspect ratio must be fitted.
    package var isExact: Bool { width != nil && height != nil && !isLimit }
}

extension SizeRequest {
    /// Returns the size of displayed frames in square pixels; nil if they stay unchanged.
    ///
    /// A side derived from the other one is even, and nearest to the aspect ratio.
    ///
    /// - Parameter aspectRatio: The source's sample aspect ratio; not positive means square.
    package func size(for shown: PixelSize, aspectRatio: Rational) -> PixelSize? {
        let shownWidth = Double(shown.width) * (aspectRatio.isPositive ? aspectRatio.value : 1)
        if isExact, let width, let height { return PixelSize(width, height) }
        let scales = [width.map { Double($0) / shownWidth }, height.map { Double($0) / Double(shown.height) }]
        let scale = scales.compactMap(\.self).min() ?? 1
        if isLimit, scale >= 1, shown.width <= width ?? .max { return nil }
        return PixelSize(
            side(shownWidth * scale, width), side(Double(shown.height) * scale, height))
    }

    private func side(_ length: Double, _ wanted: Int?) -> Int {
        let even = max(2, Int((length / 2).rounded()) * 2)
        guard let wanted else { return even }
        return isLimit ? min(even, max(2, wanted & ~1)) : wanted
    }
}

extension SizeRequest: CustomStringConvertible {
    package var description: String { "\(width.map(String.init) ?? "")x\(height.map(String.init) ?? "")" }
}

/// The part of the frame that is kept.
package enum CropRequest: Sendable, Hashable {
    /// Everything except black bars.
    case auto
    /// A region of the source as displayed, in its own samples.
    case region(PixelRegion)
}

/// The rotation in degrees clockwise.
package enum RotationRequest: String, Sendable, Hashable, CaseIterable, Codable {
    case none = "0"
    case quarter = "90"
    case half = "180"
    case threeQuarters = "270"
}

/// The axis of a flip.
package enum FlipRequest: String, Sendable, Hashable, CaseIterable, Codable {
    /// Swaps left and right.
    case horizontal
    /// Swaps top and bottom.
    case vertical
}

extension TranscodeRequest {
    /// The orientation relative to the displayed frame: first rotated, then flipped.
    package var orientation: DisplayMatrix.Orientation {
        let rotated: DisplayMatrix.Orientation =
            switch rotation {
            case .none: .upright
            case .quarter: .rotated90
            case .half: .rotated180
            case .threeQuarters: .rotated270
            }
        switch flip {
        case .horizontal: return rotated.followed(by: .mirrored)
        case .vertical: return rotated.followed(by: .mirroredRotated180)
        case nil: return rotated
        }
    }
}
