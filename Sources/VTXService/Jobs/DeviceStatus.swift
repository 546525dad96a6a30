package import VTXJSON
package import VTXJobs

/// What is known of the devices at the moment.
struct DeviceStatus: Sendable {
    var devices: [Device]
    var health: [DeviceName: DeviceHealth]
    var load: [EngineID: Double]
    var capacity: [EngineID: Double]
    /// The jobs of each device.
    var jobs: [DeviceName: [JobID]]
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
