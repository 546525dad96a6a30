import VTXFFmpeg
package import VTXLibVA
package import VTXMedia
import VTXSession

/// What a driver's answers mean for the contract. Pure, so the answers of GPUs that are not here can be tested.
package enum VAAPICapabilities {
    /// Where a driver names no bound: what every GPU with a VA driver can do.
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
                mapsTones: processing.toneMapping.contains(.hdrToSDR), orientations: orientations(processing),
                maxSize: processing.maxOutputSize ?? row.surfaces?.maxSize ?? PixelSize(4096, 4096)))
    }

    /// A turn and a mirror at once is left out: drivers do not agree on which comes first.
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
        VideoProfile.allCases.compactMap { profile in
            answers.encodingRows(profile).first.flatMap { encoder(profile, $0) }
        }
    }

    /// One row as an encoder of the profile; nil where vtx cannot use it.
    package static func encoder(_ profile: VideoProfile, _ row: DriverCapabilities.Row) -> EncoderCapability? {
        // FFmpeg has AV1's from 6.1 on.
        guard EncoderContext.exists(VideoEncoderSettings.vaapiName(of: profile.codec)) else { return nil }
        let formats = SurfaceFormat.all(in: row).map(\.pixelFormat).filter {
            $0.chroma == profile.maxChroma && $0.bitDepth <= profile.maxBitDepth
        }
        // A profile without surfaces deep enough for it would be a promise that is not kept.
        guard formats.contains(where: { $0.bitDepth == profile.maxBitDepth }) else { return nil }
        return EncoderCapability(
            codec: profile.codec, profile: profile, minSize: row.surfaces?.minSize ?? PixelSize(16, 16),
            maxSize: maxSize(row), keepsCaptions: false, keepsHDRMetadata: profile.codec != .h264,
            reordersFrames: row.reordersFrames(in: profile), pixelFormats: formats)
    }
}

extension VAAPICapabilities {
    /// How an encoder of the profile is opened when nothing else is asked for than a bit rate, by VA's names; nil where
    /// the driver has none.
    package static func firstAttempt(_ configuration: EncoderConfiguration, _ answers: DriverCapabilities)
        -> EncodingMode?
    {
        answers.candidates(for: configuration).first?.mode
    }
}

extension DriverCapabilities.Row {
    /// B frames: there is a second list of references, and it may lie in the future. What AV1 has in their place, frames
    /// that are coded early and hidden, is not used.
    package func reordersFrames(in profile: VideoProfile) -> Bool {
        profile.allowsBFrames && profile.codec != .av1 && (maxReferences?.list1 ?? 0) > 0
            && (predictionDirections.isEmpty || predictionDirections.contains(.future))
    }
}
