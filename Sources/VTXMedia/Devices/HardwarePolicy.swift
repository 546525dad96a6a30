/// Whether a GPU may, must or must not be used.
public enum HardwarePolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// Hardware where it can do the job, software elsewhere.
    case auto
    /// Hardware, or an error.
    case require
    /// Software; no device is even looked at.
    case off
}

/// Which of a GPU's two encoders: the programmable one (`VAEntrypointEncSlice`) or the fixed, low-power one
/// (`VAEntrypointEncSliceLP`).
package enum LowPowerPolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// The programmable one where there is one.
    case auto
    case on
    case off
}

/// What is asked of a GPU's encoder beside what the stream has to be; nil leaves it to vtx.
package struct HardwareEncoderOptions: Sendable, Hashable, Codable {
    package var lowPower = LowPowerPolicy.auto
    /// Frames that the GPU works on at one time (libavcodec's `async_depth`).
    package var asyncDepth: Int?
    /// Levels of B frames that refer to each other (libavcodec's `b_depth`). It also allows B frames where a driver is
    /// known to get them wrong.
    package var bFrameDepth: Int?

    package init() {}
}
