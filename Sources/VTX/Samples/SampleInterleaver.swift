/// Puts the samples of several tracks into the order in which they are decoded. Pure.
///
/// A sample comes out when every track that is waited for has one, or has ended. Subtitles may be far apart, and are not
/// waited for.
struct SampleInterleaver<Element> {
    private struct Track {
        var waiting: ArraySlice<(time: Double, byteCount: Int, element: Element)> = []
        var isAwaited: Bool
        var hasEnded = false
    }

    private var tracks: [Track] = []
    /// Of all that waits.
    private(set) var byteCount = 0
    private let byteLimit: Int

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    mutating func addTrack(isAwaited: Bool) { tracks.append(Track(isAwaited: isAwaited)) }

    /// - Parameter time: when it is decoded, in seconds.
    mutating func put(_ element: Element, at time: Double, byteCount: Int, in track: Int) {
        tracks[track].waiting.append((time, byteCount, element))
        self.byteCount += byteCount
    }

    mutating func end(_ track: Int) { tracks[track].hasEnded = true }

    /// Enough waits, and not for this track.
    func isFull(for track: Int) -> Bool { byteCount >= byteLimit && !tracks[track].waiting.isEmpty }

    /// The next sample in order; nil where another one may come before it.
    mutating func next() -> (track: Int, element: Element)? {
        guard tracks.allSatisfy({ !$0.isAwaited || $0.hasEnded || !$0.waiting.isEmpty }) else { return nil }
        let first = tracks.indices.filter { !tracks[$0].waiting.isEmpty }.min { left, right in
            (tracks[left].waiting.first?.time ?? 0) < (tracks[right].waiting.first?.time ?? 0)
        }
        guard let first, let sample = tracks[first].waiting.popFirst() else { return nil }
        byteCount -= sample.byteCount
        return (first, sample.element)
    }
}
