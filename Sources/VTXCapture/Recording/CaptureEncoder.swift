package import VTXMedia
package import VTXSession
package import VTXTask

/// The encoder of a recording, and its properties.
package struct CaptureEncoder: Sendable {
    package var encoder: any VideoEncoder
    package var codec: VideoCodec
    /// The format of the encoded frames.
    package var format: CaptureFormat
    /// What the conversion to it changes.
    package var notices: [Notice] = []
    /// The device as shown to users.
    package var deviceName: String
    package var isHardware: Bool
    /// The maximum bit rate for live outputs, also the average if one is requested; nil without live outputs.
    package var maxBitrate: Int?
    /// Changes it from the next frame on, without a key frame; false if the encoder does not support that.
    package var changeBitrate: @Sendable (Int) -> Bool = { _ in false }

    package init(
        _ encoder: any VideoEncoder, codec: VideoCodec, format: CaptureFormat, deviceName: String, isHardware: Bool
    ) {
        self.encoder = encoder
        self.codec = codec
        self.format = format
        self.deviceName = deviceName
        self.isHardware = isHardware
    }
}

extension CaptureEncoder {
    /// The time base of frames for the encoder.
    package static var timeBase: Rational { CaptureTimeline.timeBase }
}

/// Opens encoders. Backends are only known above this module.
package protocol CaptureEncoderOpener: Sendable {
    /// - Parameters:
    ///   - format: The format of the source's frames.
    ///   - codec: The codec of a recording that has begun; nil for the requested or default one.
    ///   - usesGlobalHeader: Whether parameter sets go into the header; else they precede every key frame.
    ///   - maxBitrate: The maximum bit rate for live outputs; nil for the requested or default one.
    func open(
        _ format: CaptureFormat, codec: VideoCodec?, usesGlobalHeader: Bool, maxBitrate: Int?
    ) throws(TranscodeError) -> CaptureEncoder
}
