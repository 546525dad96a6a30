/// What a device decodes.
package enum DecodingCapability: Sendable, Hashable {
    /// Whatever this build of libavcodec does.
    case everything
    case rows([DecoderCapability])

    /// Why the device cannot decode this; nil where it can.
    ///
    /// - Parameter softwareTool: what the stream uses that only software decodes.
    package func obstacle(
        to codec: String, _ format: PixelFormat, _ size: PixelSize, softwareTool: String? = nil
    ) -> String? {
        guard case .rows(let rows) = self else { return nil }
        if let tool = softwareTool { return "no VA-API driver decodes \(tool) of \(codec)" }
        let ofCodec = rows.filter { $0.codec == codec }
        if ofCodec.isEmpty { return "it has no decoder for \(codec)" }
        let ofSamples = ofCodec.filter {
            !format.isRGB && $0.chroma == max(format.chroma, .yuv420) && $0.bitDepth == format.bitDepth
        }
        if ofSamples.isEmpty { return "it does not decode \(format.bitDepth)-bit \(format.chroma.ratio) \(codec)" }
        let limits = ofSamples.map(\.maxSize)
        guard limits.contains(where: { size.width <= $0.width && size.height <= $0.height }) else {
            return "it decodes \(codec) up to \(limits.first ?? size), not \(size)"
        }
        return nil
    }
}

/// Pictures that a device decodes.
package struct DecoderCapability: Sendable, Hashable, Codable {
    /// libavcodec's name: `h264`, `mpeg2video`.
    package var codec: String
    package var chroma: ChromaSampling
    package var bitDepth: Int
    package var maxSize: PixelSize

    package init(codec: String, chroma: ChromaSampling, bitDepth: Int, maxSize: PixelSize) {
        self.codec = codec
        self.chroma = chroma
        self.bitDepth = bitDepth
        self.maxSize = maxSize
    }
}

extension DecodingCapability: Codable {
    /// The rows, or null for everything.
    package init(from decoder: any Decoder) throws {
        let rows = try decoder.singleValueContainer().decode([DecoderCapability]?.self)
        self = rows.map(DecodingCapability.rows) ?? .everything
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if case .rows(let rows) = self { try container.encode(rows) } else { try container.encodeNil() }
    }
}
