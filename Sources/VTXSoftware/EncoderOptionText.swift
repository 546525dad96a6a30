import VTXMedia

/// How x264 and x265 write numbers and lists.
enum EncoderOptionText {
    static func joined(_ parameters: [(String, String)]) -> String {
        parameters.map { "\($0)=\($1)" }.joined(separator: ":")
    }

    /// Without a fraction where there is none: `23`, `22.6`.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    /// Both encoders take the values of the SEI message: steps of 0.00002 and of 0.0001 cd/m2.
    static func masteringDisplay(_ display: MasteringDisplay) -> String {
        func point(_ name: String, _ point: MasteringDisplay.Chromaticity) -> String {
            "\(name)(\(point.x),\(point.y))"
        }
        return point("G", display.green) + point("B", display.blue) + point("R", display.red)
            + point("WP", display.white) + "L(\(display.maxLuminance),\(display.minLuminance))"
    }
}
