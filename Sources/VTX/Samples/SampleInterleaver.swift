/// Interleaves the samples of several tracks in decoding order. Pure.
///
/// A sample comes out when every awaited track has a sample or has ended. Subtitles are sparse and therefore not
/// awaited.
struct SampleInterleaver<Element> {
    private struct Track {
        var waiting: ArraySlice<(time: Double, byteCount: Int, element: Element)> = []
        var isAwaited: Bool
        var hasEnded = false
    }

    private var tracks: [Track] = []
    /// The size of all waiting samples.
    private(set) var byteCount = 0
    private let byteLimit: Int

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    mutating func addTrack(isAwaited: Bool) { tracks.append(Track(isAwaited: isAwaited)) }

    /// - Parameter time: The decoding time, in seconds.
    mutating func put(_ element: Element, at time: Double, byteCount: Int, in track: Int) {
        tracks[track].waiting.append((time, byteCount, element))
        self.byteCount += byteCount
    }

    mutating func end(_ track: Int) { tracks[track].hasEnded = true }

    /// Whether the buffer is full and a sample of this track waits.
    func isFull(for track: Int) -> Bool { byteCount >= byteLimit && !tracks[track].waiting.isEmpty }

    /// Returns the next sample; nil if an earlier one may still arrive.
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
