/// Whether a GPU may, must or must not be used.
public enum HardwarePolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// Hardware where it can do the job, software elsewhere.
    case auto
    /// Hardware, or an error.
    case require
    /// Software; no device is even looked at.
    case off
}
