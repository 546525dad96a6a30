package import VTXMedia

/// Distinguishes H.264 from HEVC byte streams, and from streams with the same start codes: MPEG-1 and MPEG-2 video and
/// program streams.
package enum ByteStreamCodec {
    /// Returns the codec of the parameter sets; nil if none, or those of both codecs, can be parsed.
    ///
    /// - Parameter head: The beginning of a byte stream.
    package static func announced(in head: RawSpan) -> NALCodec? {
        guard beginsWithStartCode(head) else { return nil }
        let codecs = NALCodec.allCases.filter { announces($0, head) }
        return codecs.count == 1 ? codecs[0] : nil
    }

    /// Returns the only codec that allows the headers of all NAL units; nil for none or both.
    package static func guessed(from head: RawSpan) -> NALCodec? {
        guard beginsWithStartCode(head) else { return nil }
        let codecs = NALCodec.allCases.filter { codec in
            let units = AnnexB.units(in: head, codec: codec)
            return units.contains(where: \.isVCL) && units.allSatisfy { $0.isPlausible(in: head) }
        }
        return codecs.count == 1 ? codecs[0] : nil
    }

    /// Whether only zeros precede the first start code.
    package static func beginsWithStartCode(_ head: RawSpan) -> Bool {
        var offset = 0
        while offset < head.byteCount, head[offset] == 0 { offset &+= 1 }
        return offset >= 2 && offset < head.byteCount && head[offset] == 1
    }

    private static func announces(_ codec: NALCodec, _ head: RawSpan) -> Bool {
        AnnexB.units(in: head, codec: codec).contains { unit in
            guard unit.isSPS else { return false }
            let bytes = head.extracting(unit.range)
            return codec == .h264 ? (try? H264SPS(nalUnit: bytes)) != nil : (try? HEVCSPS(nalUnit: bytes)) != nil
        }
    }
}

extension NALUnit {
    /// Whether encoders write such a header (H.264 7.4.1, H.265 7.4.2.2).
    fileprivate func isPlausible(in head: RawSpan) -> Bool {
        let bytes = head.extracting(range)
        guard codec == .h264 else {
            guard let header = try? HEVCNALUnitHeader(bytes) else { return false }
            let isKnown = header.type.isSlice || (32...40).contains(header.type.rawValue)
            return isKnown && header.layerID == 0 && (header.temporalID == 0 || !header.type.isIRAP)
        }
        guard let header = try? H264NALUnitHeader(bytes) else { return false }
        switch header.type.rawValue {
        case 1...4: return true
        case 5, 7, 8, 13, 15: return header.refIDC != 0
        case 6, 9...12: return header.refIDC == 0
        default: return false
        }
    }
}
