import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXVAAPI

/// One GPU of the software driver, with a restricted matrix.
struct LimitedBackend: VideoBackend {
    let isHardware = true
    private let matrix: CapabilityMatrix
    private let backend: VAAPIBackend

    /// - Parameter backend: opens it; a shared one also shares its surfaces.
    init(
        _ gpu: SoftwareGPU, of backend: VAAPIBackend = SoftwareGPU.backend,
        limit: (inout CapabilityMatrix) -> Void
    ) {
        var matrix = gpu.matrix
        limit(&matrix)
        self.matrix = matrix
        self.backend = backend
    }

    func probe() -> [CapabilityMatrix] { [matrix] }

    func openSession(on device: DeviceID) throws(SessionError) -> any DeviceSession {
        LimitedSession(
            capabilities: matrix, session: try backend.openSession(on: device))
    }
}

private struct LimitedSession: DeviceSession {
    let capabilities: CapabilityMatrix
    let session: any DeviceSession

    func makeDecoder(_ configuration: DecoderConfiguration) throws(SessionError) -> any VideoDecoder {
        try session.makeDecoder(configuration)
    }

    func makeFilter(_ configuration: FilterConfiguration) throws(SessionError) -> any VideoFilter {
        try session.makeFilter(configuration)
    }

    func makeEncoder(
        _ configuration: EncoderConfiguration, after failures: [EncodingMode: String]
    ) throws(SessionError) -> any VideoEncoder {
        try session.makeEncoder(configuration, after: failures)
    }

    func makeDownload(as format: PixelFormat?) throws(SessionError) -> any VideoFilter {
        try session.makeDownload(as: format)
    }

    func makeUpload() throws(SessionError) -> any VideoFilter { try session.makeUpload() }

    func ffmpegArguments(for configuration: EncoderConfiguration, in mode: EncodingMode?) -> [String] {
        session.ffmpegArguments(for: configuration, in: mode)
    }

    func ffmpegFilters(for configuration: FilterConfiguration, source: FrameFormat) -> [String] {
        session.ffmpegFilters(for: configuration, source: source)
    }

    func ffmpegPlace(for format: PixelFormat) -> FFmpegPlace { session.ffmpegPlace(for: format) }
}
