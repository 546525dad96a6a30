/// One who uses a GPU, as the kernel numbers them (Documentation/gpu/drm-usage-stats.rst).
struct DRMClient: Hashable {
    private let driver: String
    private let device: String
    private let number: String

    /// Reads what /proc/PID/fdinfo says of an open render node; nil where the kernel driver does not count time.
    ///
    /// - Returns: the client, and the seconds that all engines together have worked for it.
    static func read(_ text: String) -> (DRMClient, seconds: Double)? {
        var fields: [Substring: Substring] = [:]
        var nanoseconds: Double?
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0.isWhitespace }
            fields[line[..<colon]] = value
            // `drm-engine-video: 25662044495 ns`; of `drm-engine-capacity-video` there is no time.
            guard line.hasPrefix("drm-engine-"), value.hasSuffix(" ns"), let time = Double(value.dropLast(3)) else {
                continue
            }
            nanoseconds = (nanoseconds ?? 0) + time
        }
        guard let nanoseconds, let number = fields["drm-client-id"] else { return nil }
        let client = DRMClient(
            driver: String(fields["drm-driver"] ?? ""), device: String(fields["drm-pdev"] ?? ""), number: String(number)
        )
        return (client, nanoseconds / 1e9)
    }
}
