/// `scaling_list_data()` of an SPS or PPS (H.265 7.3.4, semantics in 7.4.5).
package struct HEVCScalingListData: SyntaxStructure {
    /// How one list is coded.
    package enum List: Sendable, Hashable {
        /// As the list this many before it, or as the default for 0: `scaling_list_pred_matrix_id_delta`.
        case predicted(delta: Int)
        /// `scaling_list_dc_coef_minus8` of the larger sizes, and `scaling_list_delta_coef`.
        case coded(dcMinus8: Int, deltas: [Int])
    }

    /// Six lists for each of 4x4, 8x8 and 16x16, two for 32x32.
    package var lists = [List](repeating: .predicted(delta: 0), count: 20)

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        lists.fit(20, filler: .predicted(delta: 0))
        for index in lists.indices {
            let (size, matrix) = (min(index / 6, 3), index < 18 ? index % 6 : index &- 18)
            try Self.code(&lists[index], size: size, matrix: matrix, with: &coder)
        }
    }

    private static func code<Coder: SyntaxCoder>(
        _ list: inout List, size: Int, matrix: Int, with coder: inout Coder
    ) throws(BitstreamError) {
        var (isCoded, predicted, dc, deltas) = list.parts
        try coder.flag(&isCoded)
        guard isCoded else {
            try coder.ue(&predicted, "scaling_list_pred_matrix_id_delta", 0...matrix)
            return list = .predicted(delta: predicted)
        }
        if size > 1 { try coder.se(&dc, "scaling_list_dc_coef_minus8", -7...247) }
        deltas.fit(size == 0 ? 16 : 64, filler: 0)
        for index in deltas.indices { try coder.se(&deltas[index], "scaling_list_delta_coef", -128...127) }
        list = .coded(dcMinus8: dc, deltas: deltas)
    }
}

extension HEVCScalingListData.List {
    fileprivate var parts: (isCoded: Bool, delta: Int, dc: Int, deltas: [Int]) {
        switch self {
        case .predicted(let delta): (false, delta, 0, [])
        case .coded(let dc, let deltas): (true, 0, dc, deltas)
        }
    }
}
