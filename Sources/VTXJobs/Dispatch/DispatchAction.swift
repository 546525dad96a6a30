/// What the dispatcher wants done, in this order.
package enum DispatchAction: Sendable, Hashable {
    /// Write it down. What follows is not done before that.
    case save(Job)
    /// Look at the source.
    case plan(Job)
    /// Do the work, with the stages on these devices.
    case run(Job, [Stage: DeviceName])
    case stop(JobID, StopReason)
    /// Remove what its attempts have left.
    case discardJournal(Job)
    /// It has ended: tell those who wait for it.
    case ended(Job)
    case saveHealth(DeviceName, DeviceHealth)
    case saveSpeeds(SpeedTable)
    case selfTest(DeviceName)
}

/// What happens to the dispatcher.
package enum DispatchEvent: Sendable, Hashable {
    /// The next jobs of the queue; more may be waiting.
    case candidates([Job])
    /// A worker tells of a job.
    case worker(JobID, JobEvent)
    /// A worker that worked on a job has ended, and this is what it used of each engine, in seconds.
    case used(JobID, frames: Int, [EngineID: Double])
    case devices([Device])
    /// How busy engines have been lately, in seconds a second.
    case observed([EngineID: Double])
    case selfTest(DeviceName, Failure?)
    /// A user wants a device tested, or back.
    case testDevice(DeviceName)
    case releaseDevice(DeviceName)
    case tick
    /// No more jobs: all that run stop at their next checkpoint.
    case drain
}
