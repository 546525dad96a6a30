extension [UInt8] {
    /// Whether these bytes appear anywhere.
    func contains(_ needle: [UInt8]) -> Bool {
        guard count >= needle.count else { return false }
        return (0...count - needle.count).contains {
            self[$0] == needle[0] && Array(self[$0..<$0 + needle.count]) == needle
        }
    }
}
