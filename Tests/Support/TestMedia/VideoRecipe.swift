import VTXFFmpeg
package import VTXMedia

/// The recipe of a video stream: its content, its encoding, its container metadata.
package struct VideoRecipe: Sendable {
    /// libavcodec's name of the encoder.
    package var encoder = "libx264"
    package var options: [(String, String)] = [("preset", "ultrafast")]
    package var bitrate: Int?
    package var keyFrameInterval = 25
    /// nil: the encoder's default.
    package var bFrames: Int?

    /// A libavfilter source without size, rate and duration.
    package var picture = "testsrc2"
    /// More filters after it.
    package var filters = ""
    package var size = PixelSize(160, 96)
    package var pixelFormat = "yuv420p"
    package var frameRate = Rational(25, 1)
    package var frameCount = 25
    package var sampleAspectRatio = Rational(0, 1)
    package var color = ColorDescription.unspecified

    /// nil: one tick per frame.
    package var timeBase: Rational?
    /// Presentation times in ticks of `timeBase`; nil: evenly spaced, from zero.
    package var times: [Int64]?

    package var displayMatrix: DisplayMatrix?
    package var projection: VideoProjection?
    package var hdrMetadata = HDRMetadata()
    package var disposition: Disposition = .default
    package var metadata: [MetadataEntry] = []

    package init(_ change: (inout VideoRecipe) -> Void = { _ in }) { change(&self) }

    /// An intra-only codec, lossless or nearly so, for pixel checks.
    package static func intra(_ encoder: String, _ pixelFormat: String) -> VideoRecipe {
        VideoRecipe {
            $0.encoder = encoder
            $0.options = []
            $0.pixelFormat = pixelFormat
        }
    }

    /// One of libavcodec's native encoders, with a sufficient bit rate.
    package static func coded(_ encoder: String) -> VideoRecipe {
        VideoRecipe {
            $0.encoder = encoder
            $0.options = []
            $0.bitrate = 2_000_000
        }
    }

    /// By x264 or x265, with a quantizer for each block: corrupt data exceeds the range of its deltas.
    package static func blocks(_ encoder: String) -> VideoRecipe {
        VideoRecipe {
            $0.encoder = encoder
            $0.options = [("preset", "veryfast")]
            $0.filters = "noise=alls=30:allf=t"
            guard encoder == "libx265" else { return }
            $0.options.append(("x265-params", "log-level=error:aq-mode=2:aq-strength=3:qg-size=16"))
        }
    }

    package static let hevc = VideoRecipe {
        $0.encoder = "libx265"
        $0.options = [("preset", "ultrafast"), ("x265-params", "log-level=error")]
    }

    /// HEVC Main 10, BT.2020 and PQ, with mastering display and content light level metadata.
    package static let hdr10 = VideoRecipe {
        $0.encoder = "libx265"
        $0.pixelFormat = "yuv420p10le"
        $0.frameCount = 10
        $0.color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false)
        $0.hdrMetadata = .sample
        $0.options = [
            ("preset", "ultrafast"),
            (
                "x265-params",
                "log-level=error:hdr10=1:max-cll=1000,400:master-display="
                    + "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)"
            ),
        ]
    }
}

extension HDRMetadata {
    /// A display with the P3 gamut, 0.005 to 1000 cd/m2.
    package static let sample = HDRMetadata(
        masteringDisplay: MasteringDisplay(
            red: .init(34000, 16000), green: .init(13250, 34500), blue: .init(7500, 3000),
            white: .init(15635, 16450), minLuminance: 50, maxLuminance: 10_000_000),
        contentLightLevel: ContentLightLevel(maxContent: 1000, maxFrameAverage: 400))
}

extension DisplayMatrix {
    /// The matrix that players interpret as this rotation.
    package static func turning(_ orientation: Orientation) -> DisplayMatrix {
        let one: Int32 = 65536
        let part: [Int32] =
            switch orientation {
            case .upright: [one, 0, 0, one]
            case .rotated90: [0, one, -one, 0]
            case .rotated180: [-one, 0, 0, -one]
            case .rotated270: [0, -one, one, 0]
            case .mirrored: [-one, 0, 0, one]
            case .mirroredRotated90: [0, -one, -one, 0]
            case .mirroredRotated180: [one, 0, 0, -one]
            case .mirroredRotated270: [0, one, one, 0]
            }
        return DisplayMatrix([part[0], part[1], 0, part[2], part[3], 0, 0, 0, 1 << 30])
    }
}
