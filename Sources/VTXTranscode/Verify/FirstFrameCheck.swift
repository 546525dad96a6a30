import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// Compares the first decoded frame, and what the container declares about it, with the plan.
struct FirstFrameCheck {
    let plan: TranscodePlan
    let encoding: VideoEncoding
    /// nil if it cannot be decoded.
    let frame: Frame?
    let stream: InputStream?

    private var wanted: EncoderConfiguration { encoding.encoder }

    func check() throws(TranscodeError) {
        guard let frame, let stream else {
            throw .check(.verificationUndecodable, "its first frame cannot be decoded")
        }
        try checkCoding(frame, stream)
        try checkColor(frame.color)
        try checkHDRMetadata(frame.hdrMetadata, stream.hdrMetadata)
        try checkOrientation(stream)
    }

    private func checkCoding(_ frame: Frame, _ stream: InputStream) throws(TranscodeError) {
        guard stream.parameters.codecName == wanted.codec.rawValue else {
            let found = stream.parameters.codecName
            throw .check(.verificationCodec, "the video is \(found) instead of \(wanted.codec.rawValue)")
        }
        guard frame.size == wanted.size else {
            throw .check(.verificationSize, "the video is \(frame.size) instead of \(wanted.size)")
        }
        guard frame.pixelFormat == wanted.pixelFormat else {
            throw .check(
                .verificationPixelFormat, "the video is \(frame.pixelFormat) instead of \(wanted.pixelFormat)")
        }
    }

    private func checkColor(_ found: ColorDescription) throws(TranscodeError) {
        func check(_ name: String, _ found: Int, _ wanted: Int) throws(TranscodeError) {
            guard wanted == ColorDescription.unspecifiedCode || found == wanted else {
                throw .check(.verificationColor, "\(name) is \(found) instead of \(wanted) (H.273)")
            }
        }
        try check("colour_primaries", found.primaries, wanted.color.primaries)
        try check("transfer_characteristics", found.transfer, wanted.color.transfer)
        try check("matrix_coefficients", found.matrix, wanted.color.matrix)
        guard (found.isFullRange ?? false) == (wanted.color.isFullRange ?? false) else {
            throw .check(.verificationColor, "video_full_range_flag is not kept")
        }
    }

    private func checkOrientation(_ stream: InputStream) throws(TranscodeError) {
        let orientation = plan.video.displayMatrix?.orientation
        guard orientation == nil || stream.displayMatrix?.orientation == orientation else {
            throw .check(.verificationRotation, "the display matrix is lost")
        }
    }

    // MARK: HDR10

    private func checkHDRMetadata(_ frame: HDRMetadata, _ container: HDRMetadata) throws(TranscodeError) {
        if encoding.filter.toneMapping != nil, !frame.isEmpty || !container.isEmpty {
            throw .check(.verificationHDRMetadata, "SDR still has HDR metadata")
        }
        let (found, wanted) = ([frame, container], wanted.hdrMetadata)
        try check("mastering display", found.map(\.masteringDisplay), wanted.masteringDisplay)
        try check("content light level", found.map(\.contentLightLevel), wanted.contentLightLevel)
    }

    /// - Parameter found: In the frame and in the container. That of the frame may be missing, because not every
    ///   encoder writes it and not every decoder reads it; if present it must be correct.
    private func check<Part: HDRMetadataPart>(
        _ name: String, _ found: [Part?], _ wanted: Part?
    ) throws(TranscodeError) {
        guard let wanted, wanted.isPlausible else { return }
        let found = found.compactMap(\.self)
        guard found.allSatisfy({ $0 == wanted }) else {
            throw .check(.verificationHDRMetadata, "the \(name) is different")
        }
        guard !found.isEmpty || !ContainerRules.of(plan.container).holdsHDRMetadata else {
            throw .check(.verificationHDRMetadata, "the \(name) is lost")
        }
    }
}

/// A part of the HDR metadata. Demuxers and decoders omit implausible values, each with its own limits.
private protocol HDRMetadataPart: Equatable {
    /// Whether all of them accept the values.
    var isPlausible: Bool { get }
}

extension MasteringDisplay: HDRMetadataPart {
    /// The ranges of H.265 D.3.28.
    fileprivate var isPlausible: Bool {
        [red, green, blue, white].allSatisfy { (5...37_000).contains($0.x) && (5...42_000).contains($0.y) }
            && (50_000...100_000_000).contains(maxLuminance) && (1...50_000).contains(minLuminance)
            && minLuminance < maxLuminance
    }
}

extension ContentLightLevel: HDRMetadataPart {
    /// 0 means unknown (CTA-861.3).
    fileprivate var isPlausible: Bool { maxContent > 0 && maxFrameAverage > 0 }
}
