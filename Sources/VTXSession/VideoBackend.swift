package import VTXMedia

/// A backend that decodes, filters and encodes video: VA-API, or libavcodec on the CPU.
package protocol VideoBackend: Sendable {
    /// False for the CPU. `--hw off` does not probe hardware backends.
    var isHardware: Bool { get }

    /// Returns the capabilities of each device of this machine; empty if there are none.
    func probe() -> [CapabilityMatrix]

    /// Returns devices that a user may expect to work but `probe()` does not list.
    func unusableDevices() -> [UnusableDevice]

    /// Opens a device for one stream.
    func openSession(on device: DeviceID) throws(SessionError) -> any DeviceSession

    /// Closes the devices without open sessions. Their capabilities stay known.
    func closeIdleDevices()
}

extension VideoBackend {
    package func unusableDevices() -> [UnusableDevice] { [] }
    package func closeIdleDevices() {}
}

/// A device that is open for one stream. It creates codecs and keeps the resources alive that they use.
///
/// Filters and encoders accept frames in memory or on this device's own surfaces. Between two devices, frames pass
/// through memory: those that leave a device go through `makeDownload(as:)`.
package protocol DeviceSession: Sendable {
    var capabilities: CapabilityMatrix { get }

    func makeDecoder(_ configuration: DecoderConfiguration) throws(SessionError) -> any VideoDecoder
    func makeFilter(_ configuration: FilterConfiguration) throws(SessionError) -> any VideoFilter
    /// - Parameter failures: Modes that opened and failed at their first frame, with the reason. They are skipped.
    func makeEncoder(
        _ configuration: EncoderConfiguration, after failures: [EncodingMode: String]
    ) throws(SessionError) -> any VideoEncoder

    /// Creates a filter that copies frames from the device's surfaces to memory. Frames in memory pass unchanged.
    ///
    /// - Parameter format: The memory layout of the samples; nil to keep it.
    func makeDownload(as format: PixelFormat?) throws(SessionError) -> any VideoFilter

    /// Creates a filter that copies frames from memory to the device's surfaces, in a layout that it can encode. Frames
    /// on a surface pass unchanged.
    func makeUpload() throws(SessionError) -> any VideoFilter

    /// Returns the `ffmpeg` arguments for the same encoder.
    ///
    /// - Parameter mode: The mode of the open encoder; nil for the one that is tried first.
    func ffmpegArguments(for configuration: EncoderConfiguration, in mode: EncodingMode?) -> [String]
    /// Returns the equivalent libavfilter filters for a source frame, in order.
    func ffmpegFilters(for configuration: FilterConfiguration, source: FrameFormat) -> [String]
    /// Returns the `ffmpeg` arguments that select the device for frames of this format.
    func ffmpegPlace(for format: PixelFormat) -> FFmpegPlace
}

extension DeviceSession {
    package func makeEncoder(_ configuration: EncoderConfiguration) throws(SessionError) -> any VideoEncoder {
        try makeEncoder(configuration, after: [:])
    }

    /// Creates a filter of this device that includes uploading frames to it and downloading them for the next device.
    package func makeFilter(
        _ configuration: FilterConfiguration, from source: any DeviceSession, to target: any DeviceSession
    ) throws(SessionError) -> any VideoFilter {
        var chain: [any VideoFilter] = []
        if source.capabilities.device != capabilities.device { chain.append(try source.makeDownload(as: nil)) }
        chain.append(try makeFilter(configuration))
        if capabilities.device != target.capabilities.device {
            chain.append(try makeDownload(as: configuration.pixelFormat))
        }
        return chain.count == 1 ? chain[0] : FilterSequence(chain)
    }
}

/// The `ffmpeg` arguments for frames on a device; empty for memory.
package struct FFmpegPlace: Sendable, Hashable {
    /// Options before the input if the device decodes it.
    package var decoding: [String]
    /// Options before the input if something else decodes it.
    package var opening: [String]
    /// Filters that upload frames to the device and download them again.
    package var upload: [String]
    package var download: [String]

    package init(
        decoding: [String] = [], opening: [String] = [], upload: [String] = [], download: [String] = []
    ) {
        self.decoding = decoding
        self.opening = opening
        self.upload = upload
        self.download = download
    }
}

/// A device and the backend that opens it.
package struct DeviceCandidate: Sendable {
    package var backend: any VideoBackend
    package var matrix: CapabilityMatrix

    package func open() throws(SessionError) -> any DeviceSession {
        try backend.openSession(on: matrix.device)
    }

    /// Returns the devices of the backends, in order. Hardware is not probed if it is not allowed.
    package static func all(from backends: [any VideoBackend], allowsHardware: Bool) -> [DeviceCandidate] {
        backends.filter { allowsHardware || !$0.isHardware }.flatMap { backend in
            backend.probe().map { DeviceCandidate(backend: backend, matrix: $0) }
        }
    }
}

extension [DeviceCandidate] {
    package var hardware: [DeviceCandidate] { filter(\.matrix.isHardware) }

    /// Returns the hardware that matches the selector, and all software.
    package func selected(by selector: DeviceSelector) -> [DeviceCandidate] {
        filter { !$0.matrix.isHardware || selector.selects($0.matrix.selectors) }
    }

    /// HEVC if hardware encodes it, otherwise H.264, which is supported everywhere.
    package var defaultCodec: VideoCodec { hardware.contains { $0.matrix.encodes(.hevc) } ? .hevc : .h264 }

    /// The candidates in order of preference: hardware first, then the least busy device, then the order of the
    /// backends.
    package var ranked: [DeviceCandidate] {
        enumerated().sorted { Self.rank($0) < Self.rank($1) }.map(\.element)
    }

    /// Returns them with this device first.
    package func preferring(_ device: DeviceID?) -> [DeviceCandidate] {
        filter { $0.matrix.device == device } + filter { $0.matrix.device != device }
    }

    private static func rank(_ offer: EnumeratedSequence<[DeviceCandidate]>.Element) -> (Int, Int, Int) {
        (offer.element.matrix.isHardware ? 0 : 1, offer.element.matrix.load, offer.offset)
    }
}
