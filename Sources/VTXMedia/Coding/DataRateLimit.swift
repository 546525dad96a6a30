/// The most bytes that any stretch of this many seconds may take, wherever it begins (VideoToolbox: an entry of
/// `kVTCompressionPropertyKey_DataRateLimits`).
public struct DataRateLimit: Sendable, Hashable, Codable {
    public var byteCount: Int
    public var seconds: Double

    public init(byteCount: Int, seconds: Double) {
        self.byteCount = byteCount
        self.seconds = seconds
    }
}
