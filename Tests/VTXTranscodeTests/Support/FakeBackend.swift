import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

@testable import VTXTranscode

/// A backend that only decodes, and counts calls.
struct FakeBackend: VideoBackend {
    let isHardware: Bool
    var matrices: [CapabilityMatrix]
    let fault: Fault?
    let probes = Locked(0)
    /// The opened codecs and filters.
    let made = Locked<[VideoStage]>([])
    var unusable: [UnusableDevice] = []

    /// The failure, and its call.
    enum Fault: Sendable, Hashable {
        case openSession
        case makeDecoder
        case makeFilter
        case makeEncoder
        case decode(Int)
        case filter(Int)
        case encode(Int)
        /// Of the encoder's two modes, VBR and CQP, these fail at the first frame.
        case encodingModes(Set<String>)
        case badPacket(Int)
    }

    init(isHardware: Bool = false, encodes profiles: [VideoProfile] = VideoProfile.allCases, fault: Fault? = nil) {
        self.init(isHardware: isHardware, devices: [isHardware ? "gpu" : "software": profiles], fault: fault)
    }

    /// A GPU with some of the stages.
    init(_ stages: Set<VideoStage>, fault: Fault? = nil) {
        self.init(
            isHardware: true, devices: ["gpu": stages.contains(.encode) ? VideoProfile.allCases : []],
            decoding: stages.contains(.decode) ? .everything : .rows([]),
            filtering: stages.contains(.filter) ? .everything : .nothing, fault: fault)
    }

    init(
        isHardware: Bool, devices: [String: [VideoProfile]], decoding: DecodingCapability = .everything,
        filtering: FilterCapability = .everything, fault: Fault? = nil
    ) {
        self.isHardware = isHardware
        self.fault = fault
        matrices = devices.sorted { $0.key < $1.key }.map { name, profiles in
            CapabilityMatrix(
                device: DeviceID(name), deviceName: "fake \(name)", isHardware: isHardware, selectors: [.path(name)],
                decoding: decoding, filtering: filtering,
                encoders: profiles.map {
                    EncoderCapability(
                        codec: $0.codec, profile: $0, minSize: PixelSize(16, 16), maxSize: PixelSize(4096, 4096),
                        keepsCaptions: false)
                })
        }
    }

    func probe() -> [CapabilityMatrix] {
        probes.withLock { $0 += 1 }
        return matrices
    }

    func unusableDevices() -> [UnusableDevice] { unusable }

    func openSession(on device: DeviceID) throws(SessionError) -> any DeviceSession {
        if fault == .openSession { throw SessionError(.notAvailableNow, "the fake device is busy") }
        guard let matrix = matrices.first(where: { $0.device == device }) else {
            throw SessionError(.badParameter, "no device \(device.name)")
        }
        return FakeSession(capabilities: matrix, fault: fault, made: made)
    }
}

private struct FakeSession: DeviceSession {
    let capabilities: CapabilityMatrix
    let fault: FakeBackend.Fault?
    let made: Locked<[VideoStage]>
    /// Of the last opened source: the encoder may be another session's, and come first.
    private static let source = Locked(try? CodecParameters(attachment: [], codecName: "h264"))

    func makeDecoder(_ configuration: DecoderConfiguration) throws(SessionError) -> any VideoDecoder {
        made.withLock { $0.append(.decode) }
        if fault == .makeDecoder { throw SessionError(.noSuchDecoder, "no decoder") }
        Self.source.withLock { $0 = configuration.stream.parameters }
        return try FaultyDecoder(configuration.stream, fault)
    }

    func makeFilter(_ configuration: FilterConfiguration) throws(SessionError) -> any VideoFilter {
        made.withLock { $0.append(.filter) }
        if fault == .makeFilter { throw SessionError(.unsupportedFormat, "no filter") }
        return FakeFilter(fault)
    }

    func makeEncoder(
        _ configuration: EncoderConfiguration, after failures: [EncodingMode: String]
    ) throws(SessionError) -> any VideoEncoder {
        made.withLock { $0.append(.encode) }
        guard fault != .makeEncoder, let parameters = Self.source.withLock({ $0 }) else {
            throw SessionError(.noSuchEncoder, "no encoder")
        }
        return FakeEncoder(parameters, configuration.timeBase, try mode(after: failures), fault)
    }

    /// The first that has not failed yet.
    private func mode(after failures: [EncodingMode: String]) throws(SessionError) -> EncodingMode? {
        guard case .encodingModes = fault else { return nil }
        let modes = ["VBR", "CQP"].map { EncodingMode(entrypoint: "Fake", rateControl: $0) }
        guard let mode = modes.first(where: { failures[$0] == nil }) else {
            throw SessionError(.noSuchEncoder, "no way is left")
        }
        return mode
    }

    func makeDownload(as format: PixelFormat?) throws(SessionError) -> any VideoFilter { PassThrough() }
    func makeUpload() throws(SessionError) -> any VideoFilter { PassThrough() }

    func ffmpegArguments(for configuration: EncoderConfiguration, in mode: EncodingMode?) -> [String] {
        ["-c:v", "fake"]
    }
    func ffmpegFilters(for configuration: FilterConfiguration, source: FrameFormat) -> [String] {
        configuration.isIdentity(for: source) ? [] : ["fake"]
    }

    func ffmpegPlace(for format: PixelFormat) -> FFmpegPlace {
        guard capabilities.isHardware else { return FFmpegPlace() }
        return FFmpegPlace(decoding: ["-on"], opening: ["-with"], upload: ["up"], download: ["down"])
    }
}
