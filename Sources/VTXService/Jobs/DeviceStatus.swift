package import VTXJSON
package import VTXJobs

/// What is known of the devices at the moment.
struct DeviceStatus: Sendable {
    var devices: [Device]
    var health: [DeviceName: DeviceHealth]
    var load: [EngineID: Double]
    var capacity: [EngineID: Double]
    /// Jobs by device.
    var jobs: [DeviceName: [JobID]]
}

/// How a device did with known pictures.
package struct DeviceTest: Sendable, Hashable {
    /// What is wrong with it; nil when it is well.
    package var failure: Failure?
    /// What was tried, and what came out.
    package var trials: [JSONValue]

    package init(failure: Failure? = nil, trials: [JSONValue] = []) {
        self.failure = failure
        self.trials = trials
    }
}
