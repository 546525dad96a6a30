import VTXFFmpeg
public import VTXMedia
import VTXSession

extension PixelBuffer {
    /// Decodes a JPEG in software, such as a frame of a Motion JPEG camera. The result has the JPEG's chroma sampling,
    /// in full range; sessions convert it.
    ///
    /// - Parameter jpeg: The bytes of the whole file, as `[UInt8]`, `Data` or another collection.
    /// - Throws: ``SessionError``: `badData` if it is damaged or incomplete; `unsupportedFormat` if it is larger than
    ///   16384 x 16384.
    public convenience init(jpeg: some Collection<UInt8>) throws(SessionError) {
        let decoded: Frame?
        do { decoded = try JPEG.decode(Array(jpeg).span.bytes) } catch {
            throw SessionError(error, while: "decoding a JPEG", else: .badData)
        }
        guard let decoded else { throw SessionError(.badData, "the JPEG is damaged or incomplete") }
        let sides = 1...16384
        guard sides.contains(decoded.size.width), sides.contains(decoded.size.height) else {
            throw SessionError(
                .unsupportedFormat, "a JPEG cannot be \(decoded.size); allowed: sides of 1 to 16384 pixels")
        }
        self.init(decoded)
    }
}
