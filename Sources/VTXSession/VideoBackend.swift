/// One way to decode, filter and encode video: VA-API, or libavcodec on the CPU.
package protocol VideoBackend: Sendable {
    /// What this machine's devices can do through this backend, one matrix a device; none is an empty answer.
    func probe() -> [CapabilityMatrix]

    /// Opens a device for one stream.
    func openSession(on device: DeviceID) throws(SessionError) -> any VideoSession
}

/// A device, opened for one stream. It makes the codecs and keeps alive what they stand on.
package protocol VideoSession: Sendable {
    var capabilities: CapabilityMatrix { get }

    func makeDecoder(_ configuration: DecoderConfiguration) throws(SessionError) -> any VideoDecoder
    func makeFilter(_ configuration: FilterConfiguration) throws(SessionError) -> any VideoFilter
    func makeEncoder(_ configuration: EncoderConfiguration) throws(SessionError) -> any VideoEncoder
}

/// Names a device: `software`, or a GPU's render node.
package struct DeviceID: Sendable, Hashable {
    package var name: String

    package init(_ name: String) { self.name = name }
}
