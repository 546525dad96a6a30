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
