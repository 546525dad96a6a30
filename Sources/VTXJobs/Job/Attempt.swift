/// One worker's go at a job.
package struct Attempt: Sendable, Hashable, Codable {
    package enum Outcome: String, Sendable, Hashable, Codable {
        case succeeded
        case failed
        /// Told to stop: cancelled, paused, drained, or to make room for a real-time job.
        case stopped
        /// The server ended while it ran; the next attempt goes on from the journal.
        case interrupted
    }

    /// Counts from 1.
    package var number: Int
    /// The host and process that did it.
    package var worker: String
    /// By stage; none yet while planning.
    package var devices: [Stage: DeviceName]
    package var startedAt: Timestamp
    package var endedAt: Timestamp?
    package var outcome: Outcome?
    package var failure: Failure?
    /// Seconds of each device's engines.
    package var engineSeconds: [String: Double]?

    package init(number: Int, worker: String, devices: [Stage: DeviceName] = [:], startedAt: Timestamp) {
        self.number = number
        self.worker = worker
        self.devices = devices
        self.startedAt = startedAt
    }
}

/// What is done to video.
package enum Stage: String, Sendable, Hashable, Codable, CaseIterable, CodingKeyRepresentable {
    case decode
    case process
    case encode
}

/// Which device: a GPU by its PCI address or node, or `cpu`.
package struct DeviceName: Sendable, Hashable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// Software.
    package static let cpu = DeviceName("cpu")
}

extension DeviceName: CustomStringConvertible, Comparable, Codable {
    package var description: String { text }
    package static func < (left: DeviceName, right: DeviceName) -> Bool { left.text < right.text }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
