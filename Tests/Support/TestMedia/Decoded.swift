package import VTXFFmpeg
import VTXMedia

/// A stream, decoded by libavcodec on one thread.
package struct Decoded {
    package private(set) var frames: [Frame] = []
    /// Packets that the decoder refused, and frames that it patched up.
    package private(set) var errors = 0

    /// - Parameter position: among the moving streams of the kind.
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

    /// When the frames are shown, in seconds.
    package var times: [Double] { frames.compactMap { $0.presentationTime?.seconds } }
    package var sampleCount: Int { frames.reduce(0) { $0 + $1.sampleCount } }
}

extension Frame {
    /// One byte of the first plane for 8 bits a sample, the whole number for more.
    package func luma(_ x: Int, _ y: Int) -> Int {
        let plane = planeBytes(0)
        guard pixelFormat.bitDepth > 8 else { return Int(plane[y * size.width + x]) }
        let offset = (y * size.width + x) * 2
        return Int(plane[offset]) | Int(plane[offset + 1]) << 8
    }

    /// FNV-1a over all planes.
    package var checksum: UInt64 {
        (0..<3).flatMap { planeBytes($0) }.reduce(0xcbf2_9ce4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
    }

    /// Peak signal-to-noise ratio of the luma in dB; infinite for equal pictures, 0 for different sizes.
    package func psnr(against other: Frame) -> Double {
        let (left, right) = (lumaSamples, other.lumaSamples)
        guard left.count == right.count, !left.isEmpty, pixelFormat.bitDepth == other.pixelFormat.bitDepth
        else { return 0 }
        let squares = zip(left, right).reduce(0.0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
        let peak = Double((1 << pixelFormat.bitDepth) - 1)
        return squares == 0 ? .infinity : 10 * (peak * peak * Double(left.count) / squares).log10
    }

    private var lumaSamples: [Int] {
        let plane = planeBytes(0)
        guard pixelFormat.bitDepth > 8 else { return plane.map(Int.init) }
        return stride(from: 0, to: plane.count - 1, by: 2).map { Int(plane[$0]) | Int(plane[$0 + 1]) << 8 }
    }
}
