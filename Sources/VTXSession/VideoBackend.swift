package import VTXFFmpeg
package import VTXMedia

/// One way to decode, filter and encode video: VA-API, or libavcodec on the CPU.
package protocol VideoBackend: Sendable {
    /// False for the CPU; `--hw off` does not even probe the others.
    var isHardware: Bool { get }

    /// What this machine's devices can do through this backend, one matrix a device; none is an empty answer.
    func probe() -> [CapabilityMatrix]

    /// Devices that `probe` does not list although a user may count on them.
    func unusableDevices() -> [UnusableDevice]

    /// Opens a device for one stream.
    func openSession(on device: DeviceID) throws(SessionError) -> any DeviceSession

    /// Closes the devices on which no session is open; what they can do stays known.
    func closeIdleDevices()
}

extension VideoBackend {
    package func unusableDevices() -> [UnusableDevice] { [] }
    package func closeIdleDevices() {}
}

/// A device, opened for one stream. It makes the codecs and keeps alive what they stand on.
///
/// Filters and encoders take frames from memory or from this device's own surfaces, so memory is where two devices
/// meet: what leaves a device goes through `makeDownload`.
package protocol DeviceSession: Sendable {
    var capabilities: CapabilityMatrix { get }

    func makeDecoder(_ configuration: DecoderConfiguration) throws(SessionError) -> any VideoDecoder
    func makeFilter(_ configuration: FilterConfiguration) throws(SessionError) -> any VideoFilter
    /// - Parameter failures: of modes that opened and failed at their first picture, and how: they are left out.
    func makeEncoder(
        _ configuration: EncoderConfiguration, after failures: [EncodingMode: String]
    ) throws(SessionError) -> any VideoEncoder

    /// Copies frames from the device's surfaces to memory; those in memory pass.
    ///
    /// - Parameter format: how their samples are to lie there; nil for as they lie.
    func makeDownload(as format: PixelFormat?) throws(SessionError) -> any VideoFilter

    /// Copies frames from memory to the device's surfaces, in a layout that it encodes; those on a surface pass.
    func makeUpload() throws(SessionError) -> any VideoFilter

    /// What the `ffmpeg` command would be told for the same encoder.
    ///
    /// - Parameter mode: of the encoder that is open; nil for the one that would be tried first.
    func ffmpegArguments(for configuration: EncoderConfiguration, in mode: EncodingMode?) -> [String]
    /// libavfilter's filters that would do the same to a source frame, in their order.
    func ffmpegFilters(for configuration: FilterConfiguration, source: FrameFormat) -> [String]
    /// How the `ffmpeg` command would be led to the device, with frames of such samples.
    func ffmpegPlace(for format: PixelFormat) -> FFmpegPlace
}

extension DeviceSession {
    package func makeEncoder(_ configuration: EncoderConfiguration) throws(SessionError) -> any VideoEncoder {
        try makeEncoder(configuration, after: [:])
    }
}

/// A place where frames are, in the words of the `ffmpeg` command; memory needs none.
package struct FFmpegPlace: Sendable, Hashable {
    /// Before the input, where it is decoded there.
    package var decoding: [String]
    /// Before the input, where it is decoded elsewhere.
    package var opening: [String]
    /// Filters that bring frames there, and back to memory.
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

/// A device, and the backend that opens it.
package struct DeviceCandidate: Sendable {
    package var backend: any VideoBackend
    package var matrix: CapabilityMatrix

    package func open() throws(SessionError) -> any DeviceSession {
        try backend.openSession(on: matrix.device)
    }

    /// What the backends have, in their order. Where hardware is not allowed, it is not even asked.
    package static func all(from backends: [any VideoBackend], allowsHardware: Bool) -> [DeviceCandidate] {
        backends.filter { allowsHardware || !$0.isHardware }.flatMap { backend in
            backend.probe().map { DeviceCandidate(backend: backend, matrix: $0) }
        }
    }
}

extension [DeviceCandidate] {
    package var hardware: [DeviceCandidate] { filter(\.matrix.isHardware) }

    /// The hardware that is meant, and all software.
    package func selected(by selector: DeviceSelector) -> [DeviceCandidate] {
        filter { !$0.matrix.isHardware || selector.selects($0.matrix.selectors) }
    }

    /// HEVC where hardware encodes it; else H.264, which plays everywhere.
    package var defaultCodec: VideoCodec { hardware.contains { $0.matrix.encodes(.hevc) } ? .hevc : .h264 }

    /// Hardware goes first, of several devices the least busy one, and then the backends' order counts.
    package var ranked: [DeviceCandidate] {
        enumerated().sorted { Self.rank($0) < Self.rank($1) }.map(\.element)
    }

    private static func rank(_ offer: EnumeratedSequence<[DeviceCandidate]>.Element) -> (Int, Int, Int) {
        (offer.element.matrix.isHardware ? 0 : 1, offer.element.matrix.load, offer.offset)
    }
}

/// What a decoder is opened with.
package struct DecoderConfiguration: Sendable {
    package var stream: InputStream

    /// Each frame comes out as soon as its order allows: no picture is decoded in parallel with the next one.
    package var isRealTime = false

    /// Cores that a software decoder works on; nil for all.
    package var threads: Int?

    package let traits: DecodingTraits

    package init(stream: InputStream) {
        self.stream = stream
        traits = DecodingTraits(stream.parameters)
    }

    /// In real time the depth is learned from the pictures' own order.
    package var reorderDepth: Int { isRealTime ? 0 : traits.reorderDepth }

    package var isH264: Bool { stream.parameters.codecName == VideoCodec.h264.rawValue }
}

extension DeviceSession {
    /// A filter of this device with what it takes to bring frames to it, and from it to the next device.
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
