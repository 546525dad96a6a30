import VTXFFmpeg
package import VTXMedia
package import VTXTask

/// How a source's frames are converted for the encoder: HDR stays HDR in HEVC, and becomes SDR in H.264. Pure.
package struct CaptureConversion: Sendable, Hashable {
    /// The format of the encoded frames.
    package private(set) var format: CaptureFormat
    /// The rotation and flip of the pixels.
    package private(set) var orientation = DisplayMatrix.Orientation.upright
    package private(set) var toneMapping: ToneMapping?
    package private(set) var notices: [Notice] = []
    /// Whether all outputs can contain HEVC.
    private let takesHEVC: Bool

    /// - Parameters:
    ///   - takesHEVC: Whether all outputs can contain HEVC.
    ///   - keepsDisplayMatrix: Whether all outputs can contain a display matrix.
    package init(
        _ source: CaptureFormat, codec: VideoCodec, takesHEVC: Bool, keepsDisplayMatrix: Bool, isMirrored: Bool
    ) {
        (format, self.takesHEVC) = (source, takesHEVC)
        format.color = source.encodedColor
        if codec == .h264, source.color.isHDR { mapTones() }
        reduceDepth(to: codec == .hevc ? 10 : 8)
        if toneMapping == nil { noteDynamicMetadata() }
        orient(keepsMatrix: keepsDisplayMatrix && !isMirrored, isMirrored)
    }

    /// The codec for a source if outputs and user leave the choice; nil for the device's.
    package static func codec(for source: CaptureFormat) -> VideoCodec? { source.color.isHDR ? .hevc : nil }

    private mutating func mapTones() {
        toneMapping = ToneMapping(source: format.color, metadata: format.hdrMetadata)
        notices.append(
            Notice(
                .conversionHDR,
                "\(format.color.rangeName) becomes SDR, because H.264 is recorded with 8 bits" + advice("it")))
        let location = format.color.chromaLocation
        format.color = .bt709
        format.color.chromaLocation = location
        (format.bitDepth, format.hdrMetadata) = (8, HDRMetadata())
    }

    /// - Parameter what: What HEVC keeps.
    private func advice(_ what: Message) -> Message {
        takesHEVC
            ? "; \(option: .codec, "hevc") keeps \(what)"
            : "; HEVC keeps \(what), but not all outputs can contain HEVC"
    }

    private mutating func reduceDepth(to most: Int) {
        guard format.bitDepth > most else { return }
        let hint = most < 10 ? advice("10 bits") : ""
        notices.append(
            Notice(.downgradeBitDepth, "\(format.bitDepth)-bit video is recorded with \(most) bits" + hint))
        format.bitDepth = most
    }

    private mutating func noteDynamicMetadata() {
        let lost = format.dynamicMetadata
        if lost.contains(.hdr10Plus) {
            notices.append(Notice(.downgradeHDR10Plus, "HDR10+ metadata of each scene is lost"))
        }
        if lost.contains(.dolbyVision) {
            notices.append(Notice(.downgradeDolbyVision, "Dolby Vision metadata is lost"))
        }
    }

    private mutating func orient(keepsMatrix: Bool, _ isMirrored: Bool) {
        let mirror = isMirrored ? DisplayMatrix.Orientation.mirrored : .upright
        orientation = mirror
        guard let matrix = format.displayMatrix, matrix.orientation != .upright, !keepsMatrix else { return }
        format.displayMatrix = nil
        guard let shown = matrix.orientation else {
            let text: Message = "the display matrix is neither a rotation nor a mirror, and is lost"
            return notices.append(Notice(.downgradeRotation, text))
        }
        orientation = shown.followed(by: mirror)
        if shown.isTransposed { format.size = format.size.transposed }
        guard !isMirrored else { return }
        notices.append(
            Notice(
                .conversionRotation,
                "the pixels are \(shown.inDegrees), because an output cannot contain a display matrix"))
    }
}

extension CaptureFormat {
    /// Returns the format as a decoded frame describes it. A stream's header may not contain everything, and a camera's
    /// driver may not know its colors.
    func described(by frame: Frame) -> CaptureFormat {
        var actual = self
        actual.color = frame.color
        (actual.color.chromaLocation, actual.color.isFullRange) = (color.chromaLocation, color.isFullRange)
        actual.bitDepth = frame.pixelFormat.bitDepth
        actual.hdrMetadata = frame.hdrMetadata.filled(from: hdrMetadata)
        actual.displayMatrix = frame.displayMatrix ?? displayMatrix
        let kinds = frame.sideDataKinds
        if kinds.contains(where: { $0.contains("SMPTE2094-40") }) { actual.dynamicMetadata.insert(.hdr10Plus) }
        if kinds.contains(where: { $0.contains("Dolby Vision") }) { actual.dynamicMetadata.insert(.dolbyVision) }
        return actual
    }
}
