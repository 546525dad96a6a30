package import VTXFFmpeg
package import VTXMedia
package import VTXSession

/// Opens the decoders of live inputs; above this module the backends have their names.
package protocol CaptureDecoderOpener: Sendable {
    /// - Returns: what gives pictures in memory, and its name, as users know it.
    func open(_ stream: InputStream) throws(SessionError) -> (decoder: any VideoDecoder, deviceName: String)
}
