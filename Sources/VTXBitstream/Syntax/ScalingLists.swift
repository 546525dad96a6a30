/// Scaling lists as they are coded, in an SPS (7.3.2.1.1) or a PPS (7.3.2.2).
package struct H264ScalingMatrix: Sendable, Hashable {
    /// Six lists of 16, then those of 64; nil if the fall-back rule applies (Table 7-2).
    package var lists: [H264ScalingList?] = []

    package init() {}

    mutating func code<Coder: SyntaxCoder>(listCount: Int, with coder: inout Coder) throws(BitstreamError) {
        lists.fit(listCount, filler: nil)
        for index in lists.indices {
            var isPresent = lists[index] != nil
            try coder.flag(&isPresent)
            var list = lists[index] ?? H264ScalingList()
            if isPresent { try list.code(size: index < 6 ? 16 : 64, with: &coder) }
            lists[index] = isPresent ? list : nil
        }
    }
}

/// `scaling_list()` (7.3.2.1.1.1): differences, which end early if the rest of the list repeats.
package struct H264ScalingList: Sendable, Hashable {
    /// `delta_scale` as coded, so that the list is written with the same bits.
    package var deltas: [Int] = []

    package init() {}

    mutating func code<Coder: SyntaxCoder>(size: Int, with coder: inout Coder) throws(BitstreamError) {
        var next = 8
        var count = 0
        while count < size && next != 0 {
            if deltas.count <= count { deltas.append(0) }
            try coder.se(&deltas[count], "delta_scale", -128...127)
            next = (next &+ deltas[count] &+ 256) % 256
            count &+= 1
        }
        deltas.fit(count, filler: 0)
    }

    /// `useDefaultScalingMatrixFlag`: the default lists of Tables 7-3 and 7-4 apply.
    package var isDefault: Bool { deltas.count == 1 && (8 &+ deltas[0] &+ 256) % 256 == 0 }

    /// Returns the factors of the list in coding order (zigzag or field scan); nil if the default applies.
    package func factors(size: Int) -> [Int]? {
        guard !isDefault else { return nil }
        var (last, next) = (8, 8)
        return (0..<size).map { index in
            if next != 0 && index < deltas.count { next = (last &+ deltas[index] &+ 256) % 256 }
            if next != 0 { last = next }
            return last
        }
    }
}

/// `scaling_list_data()` of an SPS or PPS (H.265 7.3.4, semantics in 7.4.5).
package struct HEVCScalingListData: SyntaxStructure {
    /// The coding of a list.
    package enum List: Sendable, Hashable {
        /// The same as the list this many places before, or the default for 0: `scaling_list_pred_matrix_id_delta`.
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
