/// The frames that went into a codec and have not come out, by time. Codecs reorder and delay frames, and do not keep
/// what was attached to them. Pure; ticks of one time base.
package struct PendingFrames<Content> {
    /// In order of time, in which nearly all of them arrive.
    private var entries: [(ticks: Int64, content: Content)] = []

    package init() {}

    package var count: Int { entries.count }
    package var contents: [Content] { entries.map(\.content) }

    package mutating func insert(_ content: Content, at ticks: Int64) {
        let index = entries.lastIndex { $0.ticks <= ticks }.map { $0 + 1 } ?? 0
        entries.insert((ticks, content), at: index)
    }

    package mutating func remove(at ticks: Int64) -> Content? {
        entries.firstIndex { $0.ticks == ticks }.map { entries.remove(at: $0).content }
    }

    /// Removes the frames that should have come out before this time and no longer will.
    package mutating func removeAll(before ticks: Int64) -> [Content] {
        let count = entries.prefix { $0.ticks < ticks }.count
        defer { entries.removeFirst(count) }
        return entries.prefix(count).map(\.content)
    }

    package mutating func removeAll() -> [Content] {
        defer { entries = [] }
        return contents
    }

    /// Whether a frame up to this time has not come out.
    package func contains(upTo ticks: Int64) -> Bool { entries.first.map { $0.ticks <= ticks } ?? false }
}

extension PendingFrames: Sendable where Content: Sendable {}
