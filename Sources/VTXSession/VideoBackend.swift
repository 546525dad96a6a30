package import VTXMedia

/// One way to decode, filter and encode video: VA-API, or libavcodec on the CPU.
package protocol VideoBackend: Sendable {
    /// False for the CPU; `--hw off` does not even probe the others.
    var isHardware: Bool { get }

    /// What this machine's devices can do through this backend, one matrix a device; none is an empty answer.
    func probe() -> [CapabilityMatrix]

    /// Opens a device for one stream.
    func openSession(on device: DeviceID, budget: SurfaceBudget) throws(SessionError) -> any VideoSession
}

/// A device, opened for one stream. It makes the codecs and keeps alive what they stand on.
///
/// Filters and encoders take frames from memory or from this device's own surfaces, so memory is where two devices
/// meet: what leaves a device goes through `makeDownload`.
package protocol VideoSession: Sendable {
    var capabilities: CapabilityMatrix { get }

    func makeDecoder(_ configuration: DecoderConfiguration) throws(SessionError) -> any VideoDecoder
    func makeFilter(_ configuration: FilterConfiguration) throws(SessionError) -> any VideoFilter
    func makeEncoder(_ configuration: EncoderConfiguration) throws(SessionError) -> any VideoEncoder

    /// Copies frames from the device's surfaces to memory; those in memory pass.
    ///
    /// - Parameter format: how their samples are to lie there; nil for as they lie.
    func makeDownload(as format: PixelFormat?) throws(SessionError) -> any VideoFilter

    /// What the `ffmpeg` command would be told for the same encoder, or for the same filter of a source frame.
    func ffmpegArguments(for configuration: EncoderConfiguration) -> [String]
    func ffmpegArguments(for configuration: FilterConfiguration, source: FrameShape) -> [String]
}

/// Names a device: `software`, or a GPU's render node.
package struct DeviceID: Sendable, Hashable {
    package var name: String

    package init(_ name: String) { self.name = name }
}
