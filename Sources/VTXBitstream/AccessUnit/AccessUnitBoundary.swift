package import VTXMedia

/// Detects the NAL unit that begins an access unit (H.264 7.4.1.2.3 and 7.4.1.2.4, H.265 7.4.2.4.4), and summarizes the
/// slices. Takes NAL units one at a time, in order.
package struct AccessUnitBoundary: Sendable {
    private let codec: NALCodec
    package private(set) var h264 = H264ParameterSets()
    package private(set) var hevc = HEVCParameterSets()
    /// The summary of the current access unit.
    package private(set) var summary = AccessUnit.Summary()
    private var unitCount = 0
    private var hasSlice = false
    private var lastSlice: H264SliceHeader?
    private var h264Order = H264PictureOrder()
    private var h264Gaps = H264FrameNumGaps()
    private var hevcOrder = HEVCPictureOrder()

    package init(codec: NALCodec) { self.codec = codec }

    /// Takes the next NAL unit, without start code.
    ///
    /// - Returns: the summary of the previous access unit if this unit begins another; otherwise nil.
    package mutating func append(_ unit: RawSpan) -> AccessUnit.Summary? {
        let slice = h264Slice(unit)
        let finished = begins(unit, slice) ? finish() : nil
        add(unit, slice)
        return finished
    }

    /// Whether a NAL unit begins another access unit than the previous one.
    ///
    /// - Parameter unit: The NAL unit, or its first bytes with the slice header.
    package func begins(_ unit: RawSpan) -> Bool { begins(unit, h264Slice(unit)) }

    /// Adds a NAL unit to the current access unit.
    package mutating func add(_ unit: RawSpan) { add(unit, h264Slice(unit)) }

    /// Slices are read with the sets of their own picture, which stand before them.
    private func h264Slice(_ unit: RawSpan) -> H264SliceHeader? {
        codec == .h264 ? try? H264SliceHeader(unit, h264) : nil
    }

    private func begins(_ unit: RawSpan, _ slice: H264SliceHeader?) -> Bool {
        guard unitCount > 0, hasSlice else { return false }
        let info = NALUnit(codec: codec, range: 0..<unit.byteCount, in: unit)
        if let type = info.hevcType { return Self.begins(type, unit) }
        guard info.h264Type?.isSlice == true else {
            return (6...9).contains(info.rawType) || (14...18).contains(info.rawType)
        }
        if let lastSlice, let slice { return slice.begins(after: lastSlice) }
        // Slices that cannot be read, for want of their sets, begin a picture at its first macroblock.
        return unit.byteCount > 1 && unit[1] & 0x80 != 0
    }

    private mutating func add(_ unit: RawSpan, _ slice: H264SliceHeader?) {
        let info = NALUnit(codec: codec, range: 0..<unit.byteCount, in: unit)
        if info.isParameterSet, insert(unit) { summary.changedParameterSets.append(unitCount) }
        if info.isSEI, let point = SEIMessage.recoveryPoint(in: unit, codec: codec) { summary.recoveryPoint = point }
        if let slice { add(slice) } else if info.isVCL { add(info, unit) }
        if info.endsSequence { hevcOrder.endSequence() }
        unitCount &+= 1
    }

    /// Ends the current access unit and returns its summary; nil if it has no units.
    package mutating func finish() -> AccessUnit.Summary? {
        guard unitCount > 0 else { return nil }
        defer { (summary, unitCount, hasSlice, lastSlice) = (AccessUnit.Summary(), 0, false, nil) }
        return summary
    }

    private mutating func insert(_ unit: RawSpan) -> Bool {
        codec == .h264 ? h264.insert(unit) : hevc.insert(unit)
    }

    /// H.265 7.4.2.4.4: the first slice segment of a picture, or a unit that may precede one, in the base layer.
    private static func begins(_ type: HEVCNALUnitType, _ unit: RawSpan) -> Bool {
        guard unit.byteCount > 2, let header = try? HEVCNALUnitHeader(unit), header.layerID == 0 else { return false }
        if type.isVCL { return unit[2] & 0x80 != 0 }
        return (32...35).contains(type.rawValue) || type == .prefixSEI || (41...44).contains(type.rawValue)
            || (48...55).contains(type.rawValue)
    }

    private mutating func add(_ slice: H264SliceHeader) {
        summary.isIDR = summary.isIDR || slice.isIDR
        summary.isKeyFrame = summary.isIDR
        summary.sliceType = max(summary.sliceType ?? .i, slice.type)
        if summary.pictureOrderCount == nil { addOrder(slice) }
        (hasSlice, lastSlice, summary.hasPicture) = (true, slice, true)
    }

    private mutating func addOrder(_ slice: H264SliceHeader) {
        (summary.frameNum, summary.pocLsb) = (slice.frameNum, slice.pocLsb)
        summary.beginsSequence = slice.isIDR || slice.resetsOrder
        if slice.isField { summary.field = slice.isBottomField ? .bottom : .top }
        guard let pps = h264.pps[slice.ppsID], let sps = h264.sps[pps.spsID] else { return }
        summary.pictureOrderCount = h264Order.next(slice, sps)
        summary.isReference = slice.refIDC != 0
        summary.hasFrameNumGap = h264Gaps.next(slice, sps)
    }

    private mutating func add(_ info: NALUnit, _ unit: RawSpan) {
        // Pictures of higher layers say nothing of the base layer's.
        guard info.layerID == 0 else { return }
        if let type = info.hevcType {
            summary.isIDR = summary.isIDR || type.isIDR
            summary.isKeyFrame = summary.isKeyFrame || type.isIRAP
        } else if info.h264Type == .idrSlice {
            (summary.isIDR, summary.isKeyFrame) = (true, true)
        }
        (hasSlice, summary.hasPicture) = (true, true)
        guard info.hevcType?.isSlice == true, let slice = try? HEVCSliceSegmentHeader(unit, hevc) else { return }
        if let type = slice.type { summary.sliceType = max(summary.sliceType ?? .i, type) }
        if summary.pocLsb == nil { addOrder(slice, unit) }
    }

    private mutating func addOrder(_ slice: HEVCSliceSegmentHeader, _ unit: RawSpan) {
        summary.pocLsb = slice.pocLsb
        guard let lsb = slice.pocLsb, let header = try? HEVCNALUnitHeader(unit),
            let pps = hevc.pps[slice.ppsID], let sps = hevc.sps[pps.spsID]
        else { return }
        let order = hevcOrder.next(slice.nalUnitType, temporalID: header.temporalID, lsb: lsb, sps)
        (summary.pictureOrderCount, summary.beginsSequence) = (order.count, order.beginsSequence)
        // Pictures of higher sub-layers may refer to one that those of its own do not refer to.
        summary.isReference =
            !slice.nalUnitType.isSubLayerNonReference || Int(header.temporalID) < sps.maxSubLayersMinus1
    }
}

extension NALUnit {
    /// The end of a sequence or of the bitstream in HEVC. In H.264 an IDR picture must follow, which suffices.
    fileprivate var endsSequence: Bool { hevcType == .endOfSequence || hevcType == .endOfBitstream }
}
