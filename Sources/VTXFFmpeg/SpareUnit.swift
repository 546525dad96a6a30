/// An empty unit for a codec's next answer. It is kept where nothing came: every other answer is that there is nothing
/// yet.
struct SpareUnit<Unit> {
    private var unit: Unit?

    /// Makes one where none is left.
    mutating func get(_ make: () throws(FFmpegError) -> Unit) throws(FFmpegError) -> Unit {
        if let unit { return unit }
        let made = try make()
        unit = made
        return made
    }

    /// It has been filled, and goes out.
    mutating func giveAway() { unit = nil }
}
