import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

extension VAAPISession {
    func ffmpegArguments(for configuration: EncoderConfiguration, in mode: EncodingMode?) -> [String] {
        let candidates = opened.answers.candidates(for: configuration)
        guard let candidate = candidates.first(where: { mode == nil || $0.mode == mode }) else { return [] }
        return VideoEncoderSettings(configuration, candidate, surfaces: nil).ffmpegArguments
    }

    func ffmpegPlace(for format: PixelFormat) -> FFmpegPlace {
        let node = opened.display.node.path
        let layout = "format=\(SurfaceFormat.of(format).pixelFormat.name)"
        return FFmpegPlace(
            decoding: ["-hwaccel", "vaapi", "-hwaccel_device", node, "-hwaccel_output_format", "vaapi"],
            opening: ["-vaapi_device", node], upload: [layout, "hwupload"], download: ["hwdownload", layout])
    }

    func ffmpegFilters(for configuration: FilterConfiguration, source: FrameFormat) -> [String] {
        guard !configuration.isIdentity(for: source) else { return [] }
        var chain: [String] = []
        if configuration.isDeinterlacing(source) {
            chain.append("deinterlace_vaapi" + (configuration.deinterlacing == .everyField ? "=rate=field" : ""))
        }
        if configuration.isToneMapping(source) {
            let format = Self.layout(configuration.pixelFormat)
            chain.append("tonemap_vaapi=format=\(format):p=bt709:t=bt709:m=bt709")
        }
        let placement = SurfaceRegions(configuration, source, origin: (0, 0))
        let kept = placement.source
        if kept.size != source.size { chain.append("crop=\(kept.size.width):\(kept.size.height):\(kept.x):\(kept.y)") }
        if let direction = Self.transposition(configuration.orientation) {
            chain.append("transpose_vaapi=dir=\(direction)")
        }
        chain += scale(configuration, placement) + Self.enhancements(configuration)
        if let rate = configuration.frameRate { chain.append("fps=\(rate)") }
        return chain
    }

    /// Bars are added in memory, because not every `ffmpeg` has a filter for them on surfaces.
    private func scale(_ configuration: FilterConfiguration, _ placement: SurfaceRegions) -> [String] {
        let (size, target) = (configuration.size, placement.target)
        let format = SurfaceFormat.of(configuration.pixelFormat).pixelFormat
        let scaled = "scale_vaapi=w=\(target.size.width):h=\(target.size.height):format=\(Self.layout(format))"
        guard target.size != size else { return [scaled] }
        let place = ffmpegPlace(for: format)
        return [scaled] + place.download + ["pad=\(size.width):\(size.height):\(target.x):\(target.y)"] + place.upload
    }

    /// ffmpeg's scale for every driver ends at 64.
    private static func enhancements(_ configuration: FilterConfiguration) -> [String] {
        func value(_ strength: FilterStrength) -> Int { Int((strength.share * 64).rounded()) }
        return [
            configuration.denoising.map { "denoise_vaapi=denoise=\(value($0))" },
            configuration.sharpening.map { "sharpness_vaapi=sharpness=\(value($0))" },
        ].compactMap(\.self)
    }

    private static func layout(_ format: PixelFormat) -> String { format.bitDepth > 8 ? "p010" : "nv12" }

    private static func transposition(_ orientation: DisplayMatrix.Orientation) -> String? {
        switch orientation {
        case .upright: nil
        case .rotated90: "clock"
        case .rotated180: "reversal"
        case .rotated270: "cclock"
        case .mirrored: "hflip"
        case .mirroredRotated90: "clock_flip"
        case .mirroredRotated180: "vflip"
        case .mirroredRotated270: "cclock_flip"
        }
    }
}
