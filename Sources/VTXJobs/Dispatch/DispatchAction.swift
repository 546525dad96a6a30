/// An action that the dispatcher requests. Actions are performed in order.
package enum DispatchAction: Sendable, Hashable {
    /// Store the job before performing the following actions.
    case save(Job)
    /// Probe the source and plan the job.
    case plan(Job)
    /// Run the job with its stages on these devices.
    case run(Job, [Stage: DeviceName])
    case stop(JobID, StopReason)
    case endLeftWorker(Job)
    /// Remove what the job's attempts have left, and notify clients that wait for its end.
    case ended(Job)
    case saveHealth(DeviceName, DeviceHealth)
    case saveSpeeds(SpeedTable)
    case selfTest(DeviceName)
}

/// An event for the dispatcher.
package enum DispatchEvent: Sendable, Hashable {
    /// The next queued jobs; there may be more.
    case candidates([Job])
    /// A worker reports an event of a job.
    case worker(JobID, JobEvent)
    /// A job's worker has exited after using each engine for this many seconds.
    case used(JobID, frames: Int, [EngineID: Double])
    case devices([Device])
    /// Another host has taken over the job: its worker stops here, and nothing is stored.
    case revoke(JobID)
    /// The recent load of engines, in seconds per second.
    case observed([EngineID: Double])
    case selfTest(DeviceName, Failure?)
    /// A user requests a self-test of a device, or its release.
    case testDevice(DeviceName)
    case releaseDevice(DeviceName)
    case tick
    /// Accept no more jobs, and stop running ones at their next checkpoint.
    case drain
}

/// The current time, on both clocks.
package struct Moment: Sendable, Hashable {
    /// Seconds on a monotonic clock, for timeouts.
    package var uptime: Double
    /// The calendar time, for records.
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
        guard live[id] != nil, let demand = scheduler.demand(of: id) else { return [] }
        live[id]?.job.noteEngineSeconds(
            Dictionary(seconds.map { ($0.key.description, $0.value) }, uniquingKeysWith: +))
        scheduler.speeds.learn(demand, frames: frames, seconds: seconds)
        return [.saveSpeeds(scheduler.speeds)]
    }

    mutating func updateAvailability() {
        scheduler.unavailable = Set(health.filter { !$0.value.state.takesJobs }.keys)
    }
}
