import VTXMedia
import VTXSession

/// Maps HDR to SDR with zimg and libavfilter's `tonemap`: converts samples to linear light with BT.709 primaries,
/// compresses the luminance to SDR's range with a curve, and converts back. zimg also scales in the same pass.
enum ToneMappingChain {
    /// The luminance of SDR white in cd/m2.
    private static let white = 100

    /// - Parameter size: The size to scale to.
    static func describe(
        _ mapping: ToneMapping, _ configuration: FilterConfiguration, _ input: FrameFormat, size: PixelSize
    ) -> [String] {
        let peak = EncoderOptionText.number(Double(mapping.peakLuminance) / Double(white))
        return planar(input)
            + [
                "zscale=w=\(size.width):h=\(size.height):f=bicubic\(meaning(mapping, input)):t=linear:p=bt709"
                    + ":npl=\(white)",
                "format=gbrpf32le",
                // Hable's curve preserves contrast in highlights. It also preserves color without `desat`.
                "tonemap=hable:desat=0:peak=\(peak)",
                // With 8 bits, gradients such as skies show banding; dithering hides it.
                "zscale=p=bt709:t=bt709:m=bt709:r=tv" + location("c", configuration.color) + ":d=ordered",
            ]
    }

    /// The color of the input for zimg, in H.273's code points, which zimg also uses.
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

    /// Converts semi-planar formats, as downloaded from a GPU, because zimg reads only planar ones.
    private static func planar(_ input: FrameFormat) -> [String] {
        let format = input.pixelFormat
        guard !format.isRGB else { return ["format=gbrp16le"] }
        let planar = PixelFormat.planar(format.chroma, bitDepth: format.bitDepth)
        guard planar != format else { return [] }
        // Without explicit ranges on both sides, swscale guesses and converts.
        let range = range(input.color, input)
        return ["scale=in_range=\(range):out_range=\(range)", "format=\(planar.name)"]
    }
}
