import VTXFFmpeg
import VTXMedia
import VTXTask

/// Decides which part of the source's frames is kept.
struct CropChoice {
    /// The minimum size of a bar, in pixels. Smaller ones cost less than cropping the picture would.
    private static let leastBar = 4
    /// The fraction of a side below which a picture is not taken as one: titles on black, a light in the dark.
    private static let leastShare = 4

    private let request: TranscodeRequest
    private let source: Source
    /// The columns and rows that share chroma samples.
    private let grid: PixelSize

    init(_ request: TranscodeRequest, _ source: Source) {
        self.request = request
        self.source = source
        // Black bars give no reason for odd sides, which most outputs cannot have.
        let chroma = request.crop == .auto ? .yuv420 : max(source.sample.shape.pixelFormat.chroma, .yuv420)
        // Each field has rows of chroma of its own.
        let fields = source.sample.shape.isInterlaced && request.deinterlace == .off ? 2 : 1
        grid = PixelSize(chroma == .yuv444 ? 1 : 2, fields * (chroma == .yuv420 ? 2 : 1))
    }

    private var whole: PixelSize { source.sample.shape.size }
    private var orientation: DisplayMatrix.Orientation { source.displayMatrix?.orientation ?? .upright }

    /// - Throws: if the part to keep is outside the frame.
    func choose(_ notes: inout PlanNotes) throws(TranscodeError) -> PictureCrop? {
        switch request.crop {
        case .region(let region): PictureCrop(try choose(region, &notes), of: whole)
        case .auto: chooseByBars(&notes).map { PictureCrop($0, of: whole) }
        case nil: nil
        }
    }

    private func choose(_ region: PixelRegion, _ notes: inout PlanNotes) throws(TranscodeError) -> PixelRegion {
        let shown = orientation.isTransposed ? whole.transposed : whole
        guard region.lies(in: shown) else {
            throw TranscodeError(
                .crop, "\(option: .crop, "\(region)") is not inside the picture of \(shown)",
                hint: "\(option: .crop, "\(PixelRegion(size: shown))") is the whole picture")
        }
        let asked = region.rotated(by: orientation.inverse, in: shown)
        let kept = PixelRegion(
            x: asked.x.rounded(down: grid.width), y: asked.y.rounded(down: grid.height),
            size: PixelSize(
                max(grid.width, asked.size.width.rounded(down: grid.width)),
                max(grid.height, asked.size.height.rounded(down: grid.height))))
        guard kept.lies(in: whole) else {
            throw TranscodeError(
                .crop, "\(option: .crop, "\(region)") leaves less than \(multiples) samples at an edge")
        }
        if kept != asked {
            notes.note(
                .downgradeSize, "\(region) becomes \(text(kept)): positions and sizes are multiples of \(multiples)")
        }
        notes.decide("crop", text(kept), because: "requested")
        return kept
    }

    private func chooseByBars(_ notes: inout PlanNotes) -> PixelRegion? {
        guard let bars = source.bars else { return nil }
        guard let kept = kept(bars), kept.size != whole else {
            notes.decide("crop", "nothing", because: obstacle(bars))
            return nil
        }
        notes.decide("crop", text(kept), because: "the rest is black in \(frames(bars))")
        return kept
    }

    /// nil if unknown.
    private func kept(_ bars: BlackBars) -> PixelRegion? {
        guard let picture = bars.picture, bars.whole == whole, !bars.changesSize else { return nil }
        let columns = side(picture.x, picture.size.width, of: whole.width, grid.width)
        let rows = side(picture.y, picture.size.height, of: whole.height, grid.height)
        guard columns.count * Self.leastShare >= whole.width, rows.count * Self.leastShare >= whole.height else {
            return nil
        }
        return PixelRegion(x: columns.lowerBound, y: rows.lowerBound, size: PixelSize(columns.count, rows.count))
    }

    /// Returns the range of a side without the bars, rounded so that no row of a bar is left.
    private func side(_ start: Int, _ length: Int, of whole: Int, _ step: Int) -> Range<Int> {
        let first = start < Self.leastBar ? 0 : (start + step - 1).rounded(down: step)
        let end = whole - start - length < Self.leastBar ? whole : start + length
        if first == 0, end == whole { return 0..<whole }
        return first..<max(first, first + (end - first).rounded(down: step))
    }

    private func obstacle(_ bars: BlackBars) -> Message {
        if bars.changesSize || bars.whole != whole { return "the picture size changes" }
        guard let picture = bars.picture else { return "everything is black in \(frames(bars))" }
        guard kept(bars) == nil else {
            return "there are no black bars of \(Self.leastBar) or more pixels in \(frames(bars))"
        }
        return "almost everything is black in \(frames(bars)): \(text(picture)) is too small for a picture"
    }

    private func frames(_ bars: BlackBars) -> Message {
        guard let places = bars.places else { return "all \(bars.frames) frames" }
        return "\(bars.frames) frames from \(counted(places, "place", "places"))"
    }

    private var multiples: Message {
        grid.width == grid.height ? "\(grid.width)" : "\(grid.width) across and \(grid.height) down"
    }

    /// The region in display orientation.
    private func text(_ region: PixelRegion) -> String { "\(region.rotated(by: orientation, in: whole))" }
}

extension Int {
    fileprivate func rounded(down step: Int) -> Int { self / step * step }
}

extension Source {
    /// The display matrix of the container or the video; nil for none.
    var displayMatrix: DisplayMatrix? {
        (video.displayMatrix ?? sample.displayMatrix).flatMap { $0 == .identity ? nil : $0 }
    }
}
