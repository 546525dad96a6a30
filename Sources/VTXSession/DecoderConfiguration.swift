package import VTXFFmpeg

/// What a decoder is opened with.
package struct DecoderConfiguration: Sendable {
    package var stream: InputStream

    /// Each frame comes out as soon as its order allows: no picture is decoded in parallel with the next one.
    package var isRealTime = false

    package init(stream: InputStream) { self.stream = stream }
}
