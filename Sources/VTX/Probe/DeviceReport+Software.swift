import VTXMedia
import VTXSession
import VTXSoftware
import VTXTask

extension DeviceReport {
    /// What this build of FFmpeg encodes on the CPU; it decodes whatever it knows.
    static var software: DeviceReport {
        let matrix = SoftwareBackend().probe().first
        var report = DeviceReport(
            device: SoftwareBackend.device.name, name: matrix?.deviceName ?? "software", isHardware: false)
        report.selectors = [report.device]
        report.rows = matrix?.encoders.map(CodingRow.init) ?? []
        return report
    }
}

extension CodingRow {
    fileprivate init(_ encoder: EncoderCapability) {
        let profile = encoder.profile
        self.init(.encode, codec: encoder.codec.rawValue, profile: profile.name, chroma: profile.maxChroma.ratio)
        bitDepths = [profile.maxBitDepth]
        minSize = Size(encoder.minSize)
        maxSize = Size(encoder.maxSize)
        bFrames = profile.allowsBFrames
    }
}
