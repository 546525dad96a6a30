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
    case discardLeftovers(Job)
    case endLeftWorker(Job)
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
    /// Another host has the job now: its worker stops here, and nothing of it is written down.
    case revoke(JobID)
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

/// Now, on both clocks.
package struct Moment: Sendable, Hashable {
    /// Seconds on a clock that never goes back: for what waits.
    package var uptime: Double
    /// For records.
    package var time: Timestamp

    package init(uptime: Double, time: Timestamp) {
        self.uptime = uptime
        self.time = time
    }
}

extension Dispatcher {
    mutating func setDevices(_ devices: [Device], _ now: Moment) -> [DispatchAction] {
        scheduler.setDevices(devices)
        for device in devices where device.name != .cpu && health[device.name] == nil {
            health[device.name] = DeviceHealth()
        }
        updateAvailability()
        return place(now)
    }

    mutating func observe(_ busy: [EngineID: Double], _ now: Moment) -> [DispatchAction] {
        scheduler.observed = busy
        return place(now)
    }

    mutating func note(_ name: DeviceName, _ event: DeviceHealth.Event, _ now: Moment) -> [DispatchAction] {
        guard let before = health[name] else { return [] }
        let action = health[name]?.handle(event, name: name, at: now.time)
        guard let after = health[name], after != before else { return [] }
        updateAvailability()
        return [.saveHealth(name, after)] + (action == .selfTest ? [.selfTest(name)] : []) + place(now)
    }

    mutating func learn(_ id: JobID, _ frames: Int, _ seconds: [EngineID: Double], _ now: Moment) -> [DispatchAction] {
        guard let job = live[id]?.job, let demand = scheduler.demand(of: id) else { return [] }
        live[id]?.job.noteEngineSeconds(
            Dictionary(seconds.map { ($0.key.description, $0.value) }, uniquingKeysWith: +))
        shares.charge(job.tenant, seconds: seconds.values.reduce(0, +), at: now.uptime)
        scheduler.speeds.learn(demand, frames: frames, seconds: seconds)
        return [.saveSpeeds(scheduler.speeds)]
    }

    mutating func updateAvailability() {
        scheduler.unavailable = Set(health.filter { !$0.value.state.takesJobs }.keys)
    }
}
