import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

/// One GPU, opened for one stream.
struct VAAPISession: DeviceSession {
    let opened: OpenedDevice
    let device: HardwareDevice

    init(_ opened: OpenedDevice) throws(SessionError) {
        self.opened = opened
        do { device = try HardwareDevice(vaDisplay: opened.display.native, ownedBy: opened.display) } catch {
            throw SessionError(error, while: "opening \(opened.matrix.deviceName)", else: .notAvailableNow)
        }
    }

    var capabilities: CapabilityMatrix { opened.matrix }

    func makeDecoder(_ configuration: DecoderConfiguration) throws(SessionError) -> any VideoDecoder {
        try VAAPIDecoder(configuration, on: device)
    }

    func makeFilter(_ configuration: FilterConfiguration) throws(SessionError) -> any VideoFilter {
        let filter = try VAAPIFilter(configuration, self)
        guard configuration.frameRate != nil else { return filter }
        return FilterSequence([filter, FrameRateFilter(configuration)])
    }

    func makeEncoder(
        _ configuration: EncoderConfiguration, after failures: [EncodingMode: String]
    ) throws(SessionError) -> any VideoEncoder {
        try VAAPIEncoder(configuration, self, after: failures)
    }

    func makeDownload(as format: PixelFormat?) throws(SessionError) -> any VideoFilter { VAAPIDownload(as: format) }

    func makeUpload() throws(SessionError) -> any VideoFilter {
        VAAPIUpload(SurfaceUpload(to: device, formats: [.nv12, .p010]))
    }
}
