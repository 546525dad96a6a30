import Glibc
package import VTXFFmpeg
package import VTXMedia

/// A stream, decoded by libavcodec on one thread.
package struct Decoded {
    package private(set) var frames: [Frame] = []
    /// Packets that the decoder rejected, and frames that it concealed.
    package private(set) var errors = 0

    /// - Parameter position: the position among the kind's streams without attached pictures.
    package init(_ path: String, _ kind: StreamKind = .video, at position: Int = 0, limit: Int = .max) throws {
        let demuxer = try Demuxer(path: path)
        let streams = demuxer.streams.filter { $0.kind == kind && !$0.isCoverArt }
        guard streams.indices.contains(position) else {
            throw RecipeError("no \(kind) \(position) in \(path)")
        }
        let decoder = try DecoderContext(streams[position], threads: 1)
        while frames.count < limit, let packet = try demuxer.read() {
            if packet.streamIndex == streams[position].index { feed(packet, to: decoder) }
        }
        feed(nil, to: decoder)
    }

    private mutating func feed(_ packet: Packet?, to decoder: DecoderContext) {
        do {
            try decoder.send(packet)
            while case .unit(let frame) = try decoder.receive() {
                frame.normalizeFullRangeFormat()
                if frame.isCorrupt { errors += 1 }
                frames.append(frame)
            }
        } catch {
            errors += 1
        }
    }

    /// Presentation times in seconds.
    package var times: [Double] { frames.compactMap { $0.presentationTime?.seconds } }
    package var sampleCount: Int { frames.reduce(0) { $0 + $1.sampleCount } }
}

extension Frame {
    /// A sample of the first plane.
    package func luma(_ x: Int, _ y: Int) -> Int {
        let plane = planeBytes(0)
        guard pixelFormat.bitDepth > 8 else { return Int(plane[y * size.width + x]) }
        let offset = (y * size.width + x) * 2
        return Int(plane[offset]) | Int(plane[offset + 1]) << 8
    }

    /// FNV-1a over all planes, like `squaredError` without collection methods.
    package var checksum: UInt64 { Self.checksum(of: (0..<3).flatMap { planeBytes($0) }) }

    package static func checksum(of bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            var (hash, offset): (UInt64, Int) = (0xcbf2_9ce4_8422_2325, 0)
            while offset < bytes.count {
                hash = (hash ^ UInt64(bytes[offset])) &* 0x100_0000_01b3
                offset += 1
            }
            return hash
        }
    }

    /// The PSNR of the luma in dB; infinite for equal frames, 0 for different sizes.
    package func psnr(against other: Frame) -> Double {
        let (left, right) = (planeBytes(0), other.planeBytes(0))
        let bitDepth = pixelFormat.bitDepth
        guard left.count == right.count, !left.isEmpty, bitDepth == other.pixelFormat.bitDepth else { return 0 }
        let squares = Self.squaredError(left, right, bytesPerSample: bitDepth > 8 ? 2 : 1)
        let (peak, count) = (Double((1 << bitDepth) - 1), Double(bitDepth > 8 ? left.count / 2 : left.count))
        return squares == 0 ? .infinity : 10 * log10(peak * peak * count / Double(squares))
    }

    /// Without collection methods: unoptimized tests under a sanitizer would make several calls for each sample.
    private static func squaredError(_ left: [UInt8], _ right: [UInt8], bytesPerSample: Int) -> Int {
        left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                var (sum, offset) = (0, 0)
                while offset + bytesPerSample <= left.count {
                    var difference = Int(left[offset]) - Int(right[offset])
                    if bytesPerSample == 2 { difference += (Int(left[offset + 1]) - Int(right[offset + 1])) << 8 }
                    sum += difference * difference
                    offset += bytesPerSample
                }
                return sum
            }
        }
    }
}
