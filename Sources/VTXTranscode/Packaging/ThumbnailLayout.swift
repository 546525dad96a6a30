import VTXMedia
import VTXPlaylist

/// The layout of a ladder's thumbnails, which players show while someone seeks: tiles of sheets, by time. Pure.
struct ThumbnailLayout: Sendable, Hashable {
    /// Of a tile.
    let size: PixelSize
    /// Key frames from one to the next.
    let step: Int
    /// When each is shown, in seconds.
    let times: [Double]
    /// The end of the video, in seconds.
    let end: Double

    /// Tiles in a row of a sheet, and rows.
    static let side = 5
    static let perSheet = side * side
    static let playlist = "thumbnails.vtt"
    /// The longer side of a tile.
    private static let length = 160
    /// One every ten seconds of two hours.
    private static let most = 720

    /// - Parameter video: the smallest rendition.
    init(of video: LadderListing.Video) {
        let scale = min(1, Double(Self.length) / Double(max(video.size.width, video.size.height)))
        func side(_ length: Int) -> Int { max(2, Int((Double(length) * scale / 2).rounded()) * 2) }
        size = PixelSize(side(video.size.width), side(video.size.height))
        let starts = video.list.keyFrames.map(\.start)
        let step = max(1, (starts.count + Self.most - 1) / Self.most)
        self.step = step
        times = stride(from: 0, to: starts.count, by: step).map { max(0, starts[$0]) }
        end = video.list.keyFrames.last.map { $0.start + $0.duration } ?? 0
    }

    var sheetSize: PixelSize { PixelSize(size.width * Self.side, size.height * Self.side) }

    /// From 1, as DASH counts.
    static func sheet(_ number: Int) -> String { "thumbnails-\(number).jpg" }

    /// As players that are written in JavaScript take them (W3C WebVTT, Media Fragments URI).
    var text: String {
        let ends = times.dropFirst() + [max(end, times.last ?? 0)]
        return "WEBVTT\n"
            + zip(times, ends).enumerated().map { number, cue in
                WebVTT.cue(from: cue.0, to: cue.1, "\(Self.sheet(number / Self.perSheet + 1))#xywh=\(place(number))")
            }.joined()
    }

    private func place(_ number: Int) -> String {
        let (column, row) = (number % Self.side, number / Self.side % Self.side)
        return "\(column * size.width),\(row * size.height),\(size.width),\(size.height)"
    }

    /// - Parameter seconds: from one key frame to the next.
    func adaptationSet(seconds: Double) -> String {
        let milliseconds = Int((seconds * Double(step * Self.perSheet) * 1000).rounded())
        return """
                <AdaptationSet contentType="image" mimeType="image/jpeg">
                  <Representation id="thumbnails" bandwidth="\(bandwidth(milliseconds))" \
            width="\(sheetSize.width)" height="\(sheetSize.height)">
                    <EssentialProperty schemeIdUri="http://dashif.org/guidelines/thumbnail_tile" \
            value="\(Self.side)x\(Self.side)"/>
                    <SegmentTemplate media="thumbnails-$Number$.jpg" timescale="1000" duration="\(milliseconds)" \
            startNumber="1"/>
                  </Representation>
                </AdaptationSet>

            """
    }

    /// About one bit for each pixel of a sheet.
    private func bandwidth(_ milliseconds: Int) -> Int {
        max(1, sheetSize.width * sheetSize.height * 1000 / max(1, milliseconds))
    }
}
