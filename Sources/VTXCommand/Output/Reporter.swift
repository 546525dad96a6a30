import VTXTask

/// Tells the user about one transcode, in one of the forms they can choose.
///
/// Calls come from any thread. A transcode that is finished is told by `finish`, not by `report`. After `finish` or
/// `fail` nothing more is said.
protocol Reporter: Sendable {
    func report(_ event: TranscodeEvent)
    /// A line that the libraries under the transcode say of themselves.
    func relay(_ line: String)
    /// The transcode has begun to stop.
    func stopping()
    func finish(_ result: TranscodeResult)
    func fail(_ error: TranscodeError)
}

/// The notices of one transcode, each once: they come with the plan, on the way and with the result.
struct NoticeLog {
    private(set) var notices: [Notice] = []
    private var known: Set<Notice> = []

    /// Those that were not there before.
    mutating func add(_ more: [Notice]) -> [Notice] {
        let new = more.filter { known.insert($0).inserted }
        notices += new
        return new
    }
}
