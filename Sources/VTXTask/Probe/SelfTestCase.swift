/// One thing to try on one device; words, so that another process can do it.
package struct SelfTestCase: Sendable, Hashable, Codable {
    /// A render node, or `software`.
    package var device: String
    package var subject: Subject

    package enum Subject: Sendable, Hashable, Codable {
        case row(CodingRow)
        /// The video processor, see `SelfTest.process`.
        case processing
        /// HDR into SDR, see `SelfTest.mapTones`.
        case toneMapping
    }

    package init(device: String, _ subject: Subject) {
        self.device = device
        self.subject = subject
    }

    package var row: CodingRow? {
        guard case .row(let row) = subject else { return nil }
        return row
    }
}
