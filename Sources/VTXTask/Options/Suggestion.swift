/// The known word nearest to an unknown one.
package enum Suggestion {
    /// The word nearest to a mistyped one; nil when none is near enough to be meant.
    package static func nearest(to given: String, in words: [String]) -> String? {
        let lowered = given.lowercased()
        let length = lowered.drop { $0 == "-" }.count
        guard length > 1 else { return nil }
        if let longer = words.first(where: { $0.hasPrefix(lowered) }) { return longer }
        let candidates = words.map { (word: $0, distance: distance(lowered, $0)) }
        guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, length / 3) ? best.word : nil
    }

    /// How many letters must be added, removed, changed or swapped with a neighbor to get from one to the other.
    package static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let change = previous[column] + (letter == other ? 0 : 1)
                var best = min(change, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    best = min(best, beforePrevious[column - 1] + 1)
                }
                current.append(best)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
