/// Amounts as people read them.
enum Format {
    /// `12.3`; one digit after the point.
    static func tenths(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "?" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    /// `999 B`, `12.3 MB`; decimal, as disks and bit rates count.
    static func bytes(_ count: Int64) -> String {
        guard count >= 1000 else { return "\(count) B" }
        var value = Double(count) / 1000
        for unit in ["kB", "MB", "GB"] {
            // 999.95 would be printed as 1000.0.
            if value < 999.95 { return "\(tenths(value)) \(unit)" }
            value /= 1000
        }
        return "\(tenths(value)) TB"
    }

    /// `0:21`, `1:02:03`; whole seconds.
    static func clock(_ seconds: Double) -> String {
        guard seconds.isFinite, (0..<1e9).contains(seconds) else { return "?" }
        let total = Int(seconds.rounded())
        let (hours, minutes) = (total / 3600, total / 60 % 60)
        let rest = twoDigits(total % 60)
        return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(rest)" : "\(minutes):\(rest)"
    }

    /// `2.3x`: seconds of video per second of time.
    static func speed(_ factor: Double) -> String { "\(tenths(factor))x" }

    /// `1 frame`, `2 frames`.
    static func frames(_ count: Int) -> String { count == 1 ? "1 frame" : "\(count) frames" }

    static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
