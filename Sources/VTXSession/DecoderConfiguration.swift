package import VTXFFmpeg

/// What a decoder is opened with.
package struct DecoderConfiguration: Sendable {
    package var stream: InputStream

    package init(stream: InputStream) { self.stream = stream }
}
