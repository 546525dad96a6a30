import VTXMedia
import VTXSession

/// HDR into SDR, by zimg and libavfilter's `tonemap`: samples become light in BT.709's colors, a curve brings the
/// light down to what SDR shows, and light becomes samples. Scaling costs no pass of its own: zimg does it on the way.
enum ToneMappingChain {
    /// cd/m2 of SDR's white.
    private static let white = 100

    /// - Parameter size: what the picture is scaled to.
    static func describe(
        _ mapping: ToneMapping, _ configuration: FilterConfiguration, _ input: FrameFormat, size: PixelSize
    ) -> [String] {
        let peak = EncoderOptionText.number(Double(mapping.peakLuminance) / Double(white))
        return planar(input)
            + [
                "zscale=w=\(size.width):h=\(size.height):f=bicubic\(meaning(mapping, input)):t=linear:p=bt709"
                    + ":npl=\(white)",
                "format=gbrpf32le",
                // Hable's curve keeps the contrast of what is bright. It holds the color too, without `desat`.
                "tonemap=hable:desat=0:peak=\(peak)",
                // Eight bits are few for a sky; a pattern hides the steps.
                "zscale=p=bt709:t=bt709:m=bt709:r=tv" + location("c", configuration.color) + ":d=ordered",
            ]
    }

    /// What zimg is to take the samples for, in H.273's numbers, which are its own.
    private static func meaning(_ mapping: ToneMapping, _ input: FrameFormat) -> String {
        let color = mapping.meaning(of: input.color)
        let isRGB = input.pixelFormat.isRGB
        return ":pin=\(color.primaries):tin=\(color.transfer)" + (isRGB ? "" : ":min=\(color.matrix)")
            + ":rin=\(range(color, input))" + location("cin", color)
    }

    private static func location(_ option: String, _ color: ColorDescription) -> String {
        color.chromaLocation.map { ":\(option)=\($0)" } ?? ""
    }

    private static func range(_ color: ColorDescription, _ input: FrameFormat) -> String {
        color.isFullRange ?? input.pixelFormat.isRGB ? "pc" : "tv"
    }

    /// zimg reads planes only: what a GPU hands over has its chroma in pairs.
    private static func planar(_ input: FrameFormat) -> [String] {
        let format = input.pixelFormat
        guard !format.isRGB else { return ["format=gbrp16le"] }
        let planar = PixelFormat.planar(format.chroma, bitDepth: format.bitDepth)
        guard planar != format else { return [] }
        // Said on both sides, or swscale guesses, and converts.
        let range = range(input.color, input)
        return ["scale=in_range=\(range):out_range=\(range)", "format=\(planar.name)"]
    }
}
