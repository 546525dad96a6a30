// What parameter sets of layers above the base say to slice headers (H.265 F.7.3.2): of second views, or transparency.

extension HEVCSPS {
    /// Reads the SPS of a layer. One that leaves the format of its pictures to the VPS, as second views do, gets the base
    /// layer's; only the elements up to the block sizes are read of it.
    ///
    /// - Parameter base: the SPS of the base layer.
    /// - Throws: `.truncated`, or `.invalid` with the element's name.
    package init(layer unit: RawSpan, base: HEVCSPS?) throws(BitstreamError) {
        let rbsp = EmulationPrevention.remove(from: unit, Self.headerByteCount..<unit.byteCount)
        self.init()
        var reader = SyntaxReader(try BitReader(rbsp: rbsp))
        var subLayers = 0
        try reader.u(4, &vpsID, "sps_video_parameter_set_id")
        try reader.u(3, &subLayers, "sps_ext_or_max_sub_layers_minus1")
        // MultiLayerExtSpsFlag
        if subLayers == 7 {
            try readExtension(of: base, &reader)
        } else {
            var whole = SyntaxReader(try BitReader(rbsp: rbsp))
            try code(with: &whole)
        }
    }

    private mutating func readExtension(
        of base: HEVCSPS?, _ reader: inout SyntaxReader
    ) throws(BitstreamError) {
        let ownVPS = vpsID
        if let base { self = base }
        vpsID = ownVPS
        var (updatesFormat, formatIndex) = (false, 0)
        try reader.ue(&id, "sps_seq_parameter_set_id", 0...15)
        try reader.flag(&updatesFormat)
        if updatesFormat { try reader.u(8, &formatIndex, "sps_rep_format_idx") }
        try reader.ue(&log2MaxPOCLsbMinus4, "log2_max_pic_order_cnt_lsb_minus4", 0...12)
        try blocks.code(with: &reader)
    }
}

extension HEVCPPS {
    /// Reads the PPS of a layer, which has the base layer's syntax.
    package init(layer unit: RawSpan) throws(BitstreamError) {
        let rbsp = EmulationPrevention.remove(from: unit, Self.headerByteCount..<unit.byteCount)
        self.init()
        var reader = SyntaxReader(try BitReader(rbsp: rbsp))
        try code(with: &reader)
    }
}
