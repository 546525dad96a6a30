package import VTXFFmpeg
import VTXMedia

/// What a decoder is opened with.
package struct DecoderConfiguration: Sendable {
    package var stream: InputStream

    /// Each frame comes out as soon as its order allows: no picture is decoded in parallel with the next one.
    package var isRealTime = false

    package let traits: DecodingTraits

    package init(stream: InputStream) {
        self.stream = stream
        traits = DecodingTraits(stream.parameters)
    }

    /// In real time the depth is learned from the pictures' own order.
    package var reorderDepth: Int { isRealTime ? 0 : traits.reorderDepth }

    package var isH264: Bool { stream.parameters.codecName == VideoCodec.h264.rawValue }
}
