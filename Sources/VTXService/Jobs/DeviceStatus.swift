package import VTXJSON
package import VTXJobs
import VTXSystem

/// The current state of the devices.
struct DeviceStatus: Sendable {
    var devices: [Device]
    var health: [DeviceName: DeviceHealth]
    var load: [EngineID: Double]
    var capacity: [EngineID: Double]
    /// The jobs of each device.
    var jobs: [DeviceName: [JobID]]
}

extension DeviceStatus {
    init(_ dispatcher: Dispatcher) {
        var jobs: [DeviceName: [JobID]] = [:]
        for job in dispatcher.jobs where job.state == .running || job.state == .verifying {
            for device in Set(job.attempts.last?.devices.values.map { $0 } ?? []) {
                jobs[device, default: []].append(job.id)
            }
        }
        self.init(
            devices: dispatcher.devices, health: dispatcher.deviceHealth, load: dispatcher.load,
            capacity: dispatcher.capacity, jobs: jobs)
    }
}

/// The result of a device's self-test.
package struct DeviceTest: Sendable, Hashable {
    /// The failure; nil if the device works.
    package var failure: Failure?
    /// The individual tests and their results.
    package var trials: [JSONValue]

    package init(failure: Failure? = nil, trials: [JSONValue] = []) {
        self.failure = failure
        self.trials = trials
    }
}
