import VTXSystem

/// Converts an FLV stream of H.264 tags that contain HEVC to enhanced RTMP (Enhancing RTMP and FLV, version 1), because
/// libavformat before 6.1 refuses HEVC, but copies configuration record and packets of H.264 unchanged. Pure: bytes in
/// any portions in, complete tags out.
struct EnhancedFLV: Sendable {
    /// The FourCC of HEVC.
    private static let fourCC = Array("hvc1".utf8)
    /// The file header, and `PreviousTagSize0`.
    private static let fileHeaderSize = 9 + 4
    private static let tagHeaderSize = 11

    /// The bytes of an incomplete tag.
    private var pending: [UInt8] = []
    private var hasHeader = false

    /// - Returns: the tags that are complete, preceded by the file header.
    mutating func convert(_ bytes: RawSpan) -> [UInt8] {
        pending.append(contentsOf: [UInt8](copying: bytes))
        var converted: [UInt8] = []
        var offset = 0
        while let size = nextSize(at: offset), pending.count - offset >= size {
            let part = pending[offset..<offset + size]
            converted += hasHeader ? Self.tag(Array(part)) : Array(part)
            (hasHeader, offset) = (true, offset + size)
        }
        pending.removeFirst(offset)
        return converted
    }

    /// Returns the size of the file header or the next tag with its `PreviousTagSize`; nil if it is not known yet.
    private func nextSize(at offset: Int) -> Int? {
        guard hasHeader else { return Self.fileHeaderSize }
        guard pending.count - offset >= Self.tagHeaderSize else { return nil }
        return Self.tagHeaderSize + pending[offset + 1..<offset + 4].number + 4
    }

    private static func tag(_ tag: [UInt8]) -> [UInt8] {
        let data = Array(tag[tagHeaderSize..<tag.count - 4])
        let converted =
            switch tag[0] {
            case 9: video(data)
            case 18: metadata(data)
            default: data
            }
        let header = [tag[0]] + bytes(of: converted.count, 3) + tag[4..<tagHeaderSize]
        return header + converted + bytes(of: header.count + converted.count, 4)
    }

    /// Converts `VideoTagHeader`: `FrameType`, `CodecID`, `AVCPacketType`, `CompositionTime`.
    private static func video(_ data: [UInt8]) -> [UInt8] {
        guard data.count >= 5, data[0] & 0x0f == 7 else { return data }
        let time = data[2..<5]
        // PacketTypeSequenceStart, -CodedFrames and -SequenceEnd are numbered as AVC's. PacketTypeCodedFramesX is
        // -CodedFrames without a composition time.
        let type = data[1] == 1 && time.number == 0 ? 3 : data[1]
        return [0x80 | data[0] & 0x70 | type] + fourCC + (type == 1 ? time : []) + data[5...]
    }

    /// Sets `videocodecid` of `onMetaData` to the FourCC, as a number.
    private static func metadata(_ data: [UInt8]) -> [UInt8] {
        let name = Array("videocodecid".utf8)
        // An AMF number: a zero, and a double.
        let size = 1 + 8
        let last = data.count - name.count - size
        guard last >= 0, let found = (0...last).first(where: { data[$0..<$0 + name.count].elementsEqual(name) })
        else { return data }
        var changed = data
        let number = Int(Double(fourCC[...].number).bitPattern)
        changed.replaceSubrange(found + name.count..<found + name.count + size, with: [0] + bytes(of: number, 8))
        return changed
    }

    private static func bytes(of number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

extension ArraySlice<UInt8> {
    /// The big-endian number that they are.
    fileprivate var number: Int { reduce(0) { $0 << 8 | Int($1) } }
}
