import VTXMedia

/// Formats options that x264 and x265 share, numbers and lists.
enum EncoderOptionText {
    /// x265 accepts a single tune; low latency takes precedence over the content.
    static func tune(_ configuration: EncoderConfiguration) -> String? {
        if configuration.isRealTime { return "zerolatency" }
        return configuration.tuning.map { $0 == .stillImage ? "stillimage" : $0.rawValue }
    }

    /// In real time, an encoder has to keep up, unless quality is asked for.
    static func preset(_ options: EncoderConfiguration) -> EncoderPreset {
        options.isRealTime && options.preset == .balanced ? .fast : options.preset
    }

    /// Makes every second frame a B frame.
    static let temporalLayers = [("bframes", "1"), ("b-adapt", "0")]

    /// If a name occurs twice, the last value counts, so vtx's parameters override the user's.
    static func joined(_ parameters: [(String, String)], after options: [EncoderOption]) -> String {
        (options.map(\.description) + parameters.map { "\($0)=\($1)" }).joined(separator: ":")
    }

    /// Omits a zero fraction: `23`, `22.6`.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    /// Both encoders accept the values of the SEI message, in units of 0.00002 and 0.0001 cd/m2.
    static func masteringDisplay(_ display: MasteringDisplay) -> String {
        func point(_ name: String, _ point: MasteringDisplay.Chromaticity) -> String {
            "\(name)(\(point.x),\(point.y))"
        }
        return point("G", display.green) + point("B", display.blue) + point("R", display.red)
            + point("WP", display.white) + "L(\(display.maxLuminance),\(display.minLuminance))"
    }
}
