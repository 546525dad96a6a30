import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession
import VTXSystem

/// A GPU opened for one stream.
struct VAAPISession: DeviceSession {
    let opened: OpenedDevice
    /// nil if no other process reads it.
    var notes: CrashNotes<DriverUse>?

    var capabilities: CapabilityMatrix { opened.matrix }

    func makeDecoder(_ configuration: DecoderConfiguration) throws(SessionError) -> any VideoDecoder {
        try watched(WatchedDecoder.init, .decode) { () throws(SessionError) in
            try VAAPIDecoder(configuration, on: opened.hardware)
        }
    }

    func makeFilter(_ configuration: FilterConfiguration) throws(SessionError) -> any VideoFilter {
        let filter = try watched(WatchedFilter.init, .filter) { () throws(SessionError) in
            try VAAPIFilter(configuration, opened)
        }
        guard configuration.frameRate != nil else { return filter }
        return FilterSequence([filter, FrameRateFilter(configuration)])
    }

    func makeEncoder(
        _ configuration: EncoderConfiguration, after failures: [EncodingMode: String]
    ) throws(SessionError) -> any VideoEncoder {
        try watched(WatchedEncoder.init, .encode) { () throws(SessionError) in
            try VAAPIEncoder(configuration, opened, after: failures)
        }
    }

    func makeDownload(as format: PixelFormat?) throws(SessionError) -> any VideoFilter {
        try watched(WatchedFilter.init) { VAAPIDownload(as: format) }
    }

    func makeUpload() throws(SessionError) -> any VideoFilter {
        try watched(WatchedFilter.init) { VAAPIUpload(SurfaceUpload(to: opened, formats: [.nv12, .p010])) }
    }

    /// Wraps a codec so that the driver is noted during its calls.
    private func watched<Codec>(
        _ watch: (CrashNote, () throws(SessionError) -> Codec) throws(SessionError) -> Codec,
        _ stage: VideoStage? = nil, _ open: @escaping () throws(SessionError) -> Codec
    ) throws(SessionError) -> Codec {
        guard let notes else { return try open() }
        return try watch(notes.note(of: DriverUse(capabilities.device, stage)), open)
    }
}
