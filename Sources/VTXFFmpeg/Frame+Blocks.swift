import CFFmpeg
package import VTXMedia

extension Frame {
    /// The means of blocks that are spread evenly over one component, as 8-bit samples, row after row. It reads the
    /// blocks alone, not the whole frame.
    ///
    /// - Parameters:
    ///   - component: 0 for luma, 1 for Cb, 2 for Cr.
    ///   - grid: how many blocks lie side by side and below each other.
    ///   - size: of a block, in samples; smaller where the blocks would overlap.
    /// - Returns: nothing on a surface, and for a component that there is not.
    package func blockMeans(of component: Int, grid: PixelSize, size: Int = 8) -> [UInt8] {
        guard !isOnSurface, let samples = Samples(pointer, component) else { return [] }
        let columns = samples.spans(grid.width, of: samples.size.width, size)
        let rows = samples.spans(grid.height, of: samples.size.height, size)
        return rows.flatMap { row in columns.map { samples.mean($0, row) } }
    }
}

/// One component of a frame in memory, wherever its samples lie.
private struct Samples {
    let size: PixelSize
    private let data: UnsafeRawPointer
    private let bytesPerRow: Int
    private let step: Int
    private let shift: Int
    private let isDeep: Bool

    /// nil for a component that there is not.
    init?(_ frame: UnsafeMutablePointer<AVFrame>, _ component: Int) {
        let (width, height) = (Int(frame.pointee.width), Int(frame.pointee.height))
        guard let format = av_pix_fmt_desc_get(AVPixelFormat(frame.pointee.format))?.pointee,
            component < Int(format.nb_components)
        else { return nil }
        let layout = withUnsafeBytes(of: format.comp) { $0.bindMemory(to: AVComponentDescriptor.self)[component] }
        guard let plane = frame.data(plane: Int(layout.plane)) else { return nil }
        let isChroma = component == 1 || component == 2
        size = PixelSize(
            Self.shrink(width, by: isChroma ? format.log2_chroma_w : 0),
            Self.shrink(height, by: isChroma ? format.log2_chroma_h : 0))
        data = UnsafeRawPointer(plane) + Int(layout.offset)
        bytesPerRow = Int(frame.lineSize(plane: Int(layout.plane)))
        step = Int(layout.step)
        isDeep = layout.depth > 8
        shift = Int(layout.shift) + max(0, Int(layout.depth) - 8)
    }

    private static func shrink(_ length: Int, by shift: UInt8) -> Int { (length + (1 << Int(shift)) - 1) >> Int(shift) }

    /// Blocks in the middle of each of `count` equal parts of a side.
    func spans(_ count: Int, of length: Int, _ blockSize: Int) -> [Range<Int>] {
        (0..<count).map { index in
            let (start, end) = (index * length / count, (index + 1) * length / count)
            let width = min(blockSize, max(1, end - start))
            let first = min(length - width, (start + end - width) / 2)
            return first..<first + width
        }
    }

    func mean(_ columns: Range<Int>, _ rows: Range<Int>) -> UInt8 {
        var sum = 0
        for row in rows {
            let line = data + row * bytesPerRow
            for column in columns { sum += sample(line + column * step) }
        }
        let count = columns.count * rows.count
        return UInt8(clamping: (sum + count / 2) / count)
    }

    @inline(__always)
    private func sample(_ position: UnsafeRawPointer) -> Int {
        isDeep
            ? Int(UInt16(littleEndian: position.loadUnaligned(as: UInt16.self))) >> shift
            : Int(position.load(as: UInt8.self)) >> shift
    }
}
