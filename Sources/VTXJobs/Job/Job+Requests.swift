extension Job {
    /// Takes over what users have asked of the job meanwhile, where another host wrote that down.
    ///
    /// - Parameter stored: the job as it is there, at the same attempt or before it.
    /// - Returns: what has to be done because of it.
    package mutating func takeRequests(from stored: Job, at now: Timestamp) -> [JobAction] {
        specification.priority = stored.specification.priority
        guard let reason = stored.stopping, [.cancel, .pause].contains(reason), stopping != .cancel else {
            return []
        }
        if isActive {
            stopping = reason
            return []
        }
        // The worker has left the job in the same moment: what it left is as if the request came now.
        return (try? handle(reason == .cancel ? .cancel : .pause, at: now)) ?? []
    }
}
