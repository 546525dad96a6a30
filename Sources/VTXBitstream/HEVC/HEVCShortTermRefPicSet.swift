/// `st_ref_pic_set()` of an SPS or a slice header (H.265 7.3.7, semantics in 7.4.8).
package struct HEVCShortTermRefPicSet: Sendable, Hashable {
    /// A picture of an explicitly coded set.
    package struct Picture: Sendable, Hashable {
        /// `delta_poc_s0_minus1` or `delta_poc_s1_minus1`
        package var deltaPOCMinus1 = 0
        /// `used_by_curr_pic_s0_flag` or `used_by_curr_pic_s1_flag`
        package var isUsed = false

        package init() {}
    }

    /// A picture of a predicted set.
    package struct PredictedPicture: Sendable, Hashable {
        /// `used_by_curr_pic_flag`
        package var isUsed = false
        /// `use_delta_flag`; implied if the picture is used.
        package var usesDelta = true

        package init() {}
    }

    /// `inter_ref_pic_set_prediction_flag`: predicted from the previous set.
    package var isPredicted = false
    package var deltaRPSIsNegative = false
    package var absDeltaRPSMinus1 = 0
    package var predicted: [PredictedPicture] = []
    package var negative: [Picture] = []
    package var positive: [Picture] = []

    package init() {}

    /// - Parameter previous: The picture order count differences of the previous set; nil for the first set.
    /// - Returns: those of this set, NumDeltaPocs in number.
    mutating func code<Coder: SyntaxCoder>(
        after previous: DeltaPOCs?, with coder: inout Coder
    ) throws(BitstreamError) -> DeltaPOCs {
        if previous != nil { try coder.flag(&isPredicted) } else { isPredicted = false }
        return try codePictures(after: previous, with: &coder)
    }

    /// Reads the set of a slice header, which may be predicted from any set of the SPS.
    ///
    /// - Returns: the set it is predicted from; nil for none.
    mutating func readInSlice(
        after sets: [HEVCShortTermRefPicSet], with coder: inout SyntaxReader
    ) throws(BitstreamError) -> DeltaPOCs? {
        var distance = 0
        if !sets.isEmpty { try coder.flag(&isPredicted) }
        if isPredicted { try coder.ue(&distance, "delta_idx_minus1", 0...(sets.count &- 1)) }
        let previous = isPredicted ? sets.deltaPOCs(of: sets.count &- 1 &- distance) : nil
        _ = try codePictures(after: previous, with: &coder)
        return previous
    }

    private mutating func codePictures<Coder: SyntaxCoder>(
        after previous: DeltaPOCs?, with coder: inout Coder
    ) throws(BitstreamError) -> DeltaPOCs {
        if isPredicted, let previous {
            try codePredicted(count: previous.all.count &+ 1, with: &coder)
        } else {
            try codeWrittenOut(with: &coder)
        }
        let result = deltaPOCs(after: previous)
        // The decoded picture buffer has sixteen places (A.4.2), and each prediction could add one more.
        guard result.all.count <= 16 else { throw .invalid(element: "NumDeltaPocs", value: Int64(result.all.count)) }
        return result
    }

    private mutating func codePredicted<Coder: SyntaxCoder>(
        count: Int, with coder: inout Coder
    ) throws(BitstreamError) {
        try coder.flag(&deltaRPSIsNegative)
        try coder.ue(&absDeltaRPSMinus1, "abs_delta_rps_minus1", 0...0x7fff)
        predicted.fit(count, filler: PredictedPicture())
        for index in predicted.indices {
            try coder.flag(&predicted[index].isUsed)
            if predicted[index].isUsed {
                predicted[index].usesDelta = true
            } else {
                try coder.flag(&predicted[index].usesDelta)
            }
        }
    }

    private mutating func codeWrittenOut<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        var (negatives, positives) = (negative.count, positive.count)
        try coder.ue(&negatives, "num_negative_pics", 0...16)
        try coder.ue(&positives, "num_positive_pics", 0...16)
        negative.fit(negatives, filler: Picture())
        positive.fit(positives, filler: Picture())
        for index in negative.indices { try negative[index].code(with: &coder) }
        for index in positive.indices { try positive[index].code(with: &coder) }
    }
}

extension HEVCShortTermRefPicSet.Picture {
    fileprivate mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.ue(&deltaPOCMinus1, "delta_poc_minus1", 0...0x7fff)
        try coder.flag(&isUsed)
    }
}

extension HEVCShortTermRefPicSet {
    /// DeltaPocS0 and DeltaPocS1, each starting at the nearest picture.
    struct DeltaPOCs {
        var negative: [Int]
        var positive: [Int]

        /// In the order of a prediction's flags.
        var all: [Int] { negative + positive }
    }

    private static func sums(_ pictures: [Picture], sign: Int) -> [Int] {
        var sum = 0
        return pictures.map { picture in
            sum &+= sign &* (picture.deltaPOCMinus1 &+ 1)
            return sum
        }
    }

    /// - Parameter previous: Those of the set that this one is predicted from.
    func deltaPOCs(after previous: DeltaPOCs?) -> DeltaPOCs {
        if isPredicted, let previous { return predict(from: previous) }
        return DeltaPOCs(negative: Self.sums(negative, sign: -1), positive: Self.sums(positive, sign: 1))
    }

    /// Returns the number of pictures that the current one may refer to.
    ///
    /// - Parameter previous: The differences of the set that this one is predicted from.
    func usedCount(after previous: DeltaPOCs?) -> Int {
        guard isPredicted, let previous else { return (negative + positive).count(where: \.isUsed) }
        return zip(previous.all + [0], predicted).count { $1.isUsed && $0 &+ deltaRPS != 0 }
    }

    /// deltaRps (equation 7-60).
    private var deltaRPS: Int { (deltaRPSIsNegative ? -1 : 1) &* (absDeltaRPSMinus1 &+ 1) }

    /// Equations 7-61 and 7-62: every kept difference is shifted by deltaRps, and the reference picture itself, the
    /// last of the flags, is at deltaRps.
    private func predict(from reference: DeltaPOCs) -> DeltaPOCs {
        let delta = deltaRPS
        let candidates = (reference.all + [0]).enumerated().compactMap { index, value in
            index < predicted.count && predicted[index].usesDelta ? value &+ delta : nil
        }
        return DeltaPOCs(
            negative: candidates.filter { $0 < 0 }.sorted(by: >), positive: candidates.filter { $0 > 0 }.sorted())
    }
}

extension [HEVCShortTermRefPicSet] {
    /// Returns the differences of one set of an SPS. A predicted set depends on the previous one, up to an explicitly
    /// coded set.
    func deltaPOCs(of index: Int) -> HEVCShortTermRefPicSet.DeltaPOCs? {
        let first = prefix(through: index).lastIndex { !$0.isPredicted } ?? 0
        return self[first...index].reduce(nil) { previous, set in set.deltaPOCs(after: previous) }
    }
}
