import VTXFFmpeg
package import VTXLibVA
package import VTXMedia
import VTXSession

/// Interprets a driver's capabilities. Pure, so that those of other GPUs can be tested.
package enum VAAPICapabilities {
    /// The maximum size if a driver reports none: every GPU with a VA driver supports it.
    private static let modestSize = PixelSize(1920, 1088)

    package static func matrix(of node: RenderNode, _ answers: DriverCapabilities, load: Int = 0) -> CapabilityMatrix {
        CapabilityMatrix(
            device: DeviceID(node.path), deviceName: "\(answers.vendorString) on \(node.path)", isHardware: true,
            selectors: node.selectors, load: load, decoding: .rows(decoders(answers)),
            filtering: filtering(answers), encoders: encoders(answers))
    }

    // MARK: Decoding

    private static func decoders(_ answers: DriverCapabilities) -> [DecoderCapability] {
        answers.rows.flatMap { row in
            DecodableProfile.all(in: row).map { entry in
                DecoderCapability(
                    codec: entry.codec, chroma: entry.chroma, bitDepth: entry.bitDepth, maxSize: maxSize(row))
            }
        }
    }

    package static func maxSize(_ row: DriverCapabilities.Row) -> PixelSize {
        row.maxPictureSize ?? row.surfaces?.maxSize ?? modestSize
    }

    // MARK: Filtering

    private static func filtering(_ answers: DriverCapabilities) -> FilterCapability {
        guard let row = answers.row(.none, .videoProc), let processing = answers.videoProcessing
        else { return .nothing }
        return .some(
            FilterCapability.VideoProcessing(
                pixelFormats: SurfaceFormat.all(in: row).map(\.pixelFormat),
                deinterlaces: DeinterlacingChoice(processing.deinterlacing) != nil,
                mapsTones: processing.toneMapping.contains(.hdrToSDR),
                denoises: processing.filters.contains(.noiseReduction),
                sharpens: processing.filters.contains(.sharpening), orientations: orientations(processing),
                maxSize: processing.maxOutputSize ?? row.surfaces?.maxSize ?? PixelSize(4096, 4096)))
    }

    /// Excludes a rotation combined with a flip, because drivers disagree on the order.
    private static func orientations(_ processing: VideoProcessingCapabilities) -> Set<DisplayMatrix.Orientation> {
        var able: Set<DisplayMatrix.Orientation> = [.upright]
        if processing.rotations.contains(.quarter) { able.insert(.rotated90) }
        if processing.rotations.contains(.half) { able.insert(.rotated180) }
        if processing.rotations.contains(.threeQuarters) { able.insert(.rotated270) }
        if processing.mirrors.contains(.horizontal) { able.insert(.mirrored) }
        if processing.mirrors.contains(.vertical) { able.insert(.mirroredRotated180) }
        return able
    }

    // MARK: Encoding

    private static func encoders(_ answers: DriverCapabilities) -> [EncoderCapability] {
        let quirks = DriverQuirks(answers)
        return VideoProfile.allCases.compactMap { profile in
            answers.encodingRows(profile).first.flatMap { row in
                encoder(profile, row, breaksBFrames: quirks.breaksBFrames(profile.codec, row))
            }
        }
    }

    /// Returns the capabilities of a row as an encoder of the profile; nil if vtx cannot use it.
    package static func encoder(
        _ profile: VideoProfile, _ row: DriverCapabilities.Row, breaksBFrames: Bool = false
    ) -> EncoderCapability? {
        // FFmpeg supports AV1 from 6.1 on.
        guard EncoderContext.exists(VideoEncoderSettings.vaapiName(of: profile.codec)) else { return nil }
        let formats = SurfaceFormat.all(in: row).map(\.pixelFormat).filter {
            $0.chroma == profile.maxChroma && $0.bitDepth <= profile.maxBitDepth
        }
        // A profile without surfaces of its bit depth would not work.
        guard formats.contains(where: { $0.bitDepth == profile.maxBitDepth }) else { return nil }
        return EncoderCapability(
            codec: profile.codec, profile: profile, minSize: row.surfaces?.minSize ?? PixelSize(16, 16),
            maxSize: maxSize(row), keepsCaptions: false, keepsHDRMetadata: profile.codec != .h264,
            reordersFrames: row.reordersFrames(in: profile) && !breaksBFrames,
            reordersFramesOnRequest: row.reordersFrames(in: profile), pixelFormats: formats)
    }
}

extension VAAPICapabilities {
    /// Returns the first mode to try with only a bit rate requested, by VA-API's names; nil if the driver has none.
    package static func firstAttempt(_ configuration: EncoderConfiguration, _ answers: DriverCapabilities)
        -> EncodingMode?
    {
        answers.candidates(for: configuration).first?.mode
    }
}

extension DriverCapabilities.Row {
    /// Whether B frames are supported: there is a second reference list, with references in the future. AV1's
    /// equivalent, frames coded early and hidden, is not used.
    package func reordersFrames(in profile: VideoProfile) -> Bool {
        profile.allowsBFrames && profile.codec != .av1 && (maxReferences?.list1 ?? 0) > 0
            && (predictionDirections.isEmpty || predictionDirections.contains(.future))
    }
}
