package import VTXFFmpeg
package import VTXMedia

/// An encoder with what brings frames to it: one frame out for each that goes in.
package final class FilteredEncoder: VideoEncoder {
    private let filter: any VideoFilter
    private let encoder: any VideoEncoder

    package init(_ filter: any VideoFilter, _ encoder: any VideoEncoder) {
        (self.filter, self.encoder) = (filter, encoder)
    }

    package var parameters: CodecParameters { encoder.parameters }
    package var compromises: [String] { encoder.compromises }
    package var mode: EncodingMode? { encoder.mode }

    package func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        guard let frame else { return try encoder.send(nil, forcesKeyFrame: false) }
        try encoder.send(try filter.apply(to: frame), forcesKeyFrame: forcesKeyFrame)
    }

    package func receive() throws(SessionError) -> CodecOutput<Packet> { try encoder.receive() }
}
