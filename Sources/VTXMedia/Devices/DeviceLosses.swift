/// The number of consecutive failures of each device: the rules of when a device is tried once more, which hold for a
/// codec that fails in its process and for a driver that ends its process. Pure.
package struct DeviceLosses: Sendable, Hashable, Codable {
    /// The number of frames that a reopened device has to output before it is trusted again.
    package static let provingCount = 20
    /// The maximum number of sessions opened in a row without output.
    package static let maxSessions = 5

    private var counts: [String: Int] = [:]

    package init() {}

    package mutating func noteLoss(_ device: DeviceID) { counts[device.name, default: 0] += 1 }
    /// Resets the count of a device that output enough frames.
    package mutating func noteOutput(_ device: DeviceID) { counts[device.name] = nil }

    /// Whether it failed again. One failure may be a reset.
    package func isRefused(_ device: DeviceID) -> Bool { counts[device.name, default: 0] > 1 }

    /// Returns the order in which to try candidates. A device that failed twice goes last.
    package func ordered<Candidate>(
        _ candidates: [Candidate], device: (Candidate) -> DeviceID
    ) -> [Candidate] {
        candidates.filter { !isRefused(device($0)) } + candidates.filter { isRefused(device($0)) }
    }
}
