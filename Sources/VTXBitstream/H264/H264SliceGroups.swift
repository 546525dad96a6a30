/// Slice groups (flexible macroblock ordering) of a PPS (7.3.2.2; only the Baseline and Extended profiles have them).
package struct H264SliceGroups: SyntaxStructure {
    /// `num_slice_groups_minus1`, 0 to 7; nothing follows a 0.
    package var countMinus1 = 0
    /// `slice_group_map_type`, 0 to 6.
    package var mapType = 0
    /// Type 0.
    package var runLengthMinus1: [Int] = []
    /// Type 2: `top_left` and `bottom_right` by turns.
    package var corners: [Int] = []
    /// Types 3 to 5: `slice_group_change_direction_flag`
    package var changeDirection = false
    /// Types 3 to 5: `slice_group_change_rate_minus1`
    package var changeRateMinus1 = 0
    /// Type 6: `slice_group_id` of each map unit.
    package var ids: [Int] = []

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.ue(&countMinus1, "num_slice_groups_minus1", 0...7)
        guard countMinus1 > 0 else { return }
        try coder.ue(&mapType, "slice_group_map_type", 0...6)
        switch mapType {
        case 0: try Self.code(&runLengthMinus1, countMinus1 &+ 1, "run_length_minus1", with: &coder)
        case 2: try Self.code(&corners, countMinus1 &* 2, "top_left_bottom_right", with: &coder)
        case 3...5:
            try coder.flag(&changeDirection)
            try coder.ue(&changeRateMinus1, "slice_group_change_rate_minus1")
        case 6: try codeIDs(with: &coder)
        default: break
        }
    }

    private static func code<Coder: SyntaxCoder>(
        _ values: inout [Int], _ count: Int, _ name: StaticString, with coder: inout Coder
    ) throws(BitstreamError) {
        values.fit(count, filler: 0)
        for index in values.indices { try coder.ue(&values[index], name) }
    }

    /// Each id has Ceil(Log2(number of groups)) bits.
    private mutating func codeIDs<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        // Level 6.2 has no more macroblocks (Table A-1); the limit bounds what a bad PPS makes us allocate.
        try coder.count(of: &ids, "pic_size_in_map_units_minus1", 0...139_263, bias: 1, filler: 0)
        let width = countMinus1 > 3 ? 3 : countMinus1 > 1 ? 2 : 1
        for index in ids.indices { try coder.u(width, &ids[index], "slice_group_id") }
    }
}
