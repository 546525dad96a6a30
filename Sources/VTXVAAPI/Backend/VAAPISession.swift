import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

/// One GPU, opened for one stream.
struct VAAPISession: DeviceSession {
    let opened: OpenedDevice

    var capabilities: CapabilityMatrix { opened.matrix }

    func makeDecoder(_ configuration: DecoderConfiguration) throws(SessionError) -> any VideoDecoder {
        try VAAPIDecoder(configuration, on: opened.hardware)
    }

    func makeFilter(_ configuration: FilterConfiguration) throws(SessionError) -> any VideoFilter {
        let filter = try VAAPIFilter(configuration, opened)
        guard configuration.frameRate != nil else { return filter }
        return FilterSequence([filter, FrameRateFilter(configuration)])
    }

    func makeEncoder(
        _ configuration: EncoderConfiguration, after failures: [EncodingMode: String]
    ) throws(SessionError) -> any VideoEncoder {
        try VAAPIEncoder(configuration, opened, after: failures)
    }

    func makeDownload(as format: PixelFormat?) throws(SessionError) -> any VideoFilter { VAAPIDownload(as: format) }

    func makeUpload() throws(SessionError) -> any VideoFilter {
        VAAPIUpload(SurfaceUpload(to: opened.hardware, formats: [.nv12, .p010]))
    }
}
