import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

extension VAAPISession {
    func ffmpegArguments(for configuration: EncoderConfiguration) -> [String] {
        guard let row = configuration.profile.vaProfile.flatMap({ opened.answers.encodingRows($0).first }),
            let rate = RateControlChoice.candidates(for: configuration, listed: row.rateControlModes).first
        else { return [] }
        return VideoEncoderSettings(configuration, row, rate, surfaces: nil).ffmpegArguments
    }

    func ffmpegArguments(for configuration: FilterConfiguration, source: FrameShape) -> [String] {
        guard !configuration.isIdentity(for: source) else { return [] }
        var chain: [String] = []
        if configuration.isDeinterlacing(source) { chain.append("deinterlace_vaapi") }
        let format = configuration.pixelFormat.bitDepth > 8 ? "p010" : "nv12"
        if configuration.isToneMapping(source) {
            chain.append("tonemap_vaapi=format=\(format):p=bt709:t=bt709:m=bt709")
        }
        chain.append("scale_vaapi=w=\(configuration.size.width):h=\(configuration.size.height):format=\(format)")
        if let rate = configuration.frameRate { chain.append("fps=\(rate)") }
        return ["-vf", chain.joined(separator: ",")]
    }
}
