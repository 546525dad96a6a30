import VTXJSON
import VTXJobs
import VTXSystem

/// URLs under which an output can be downloaded without a token for a while, because browsers send none when they save a
/// file, nor do players. The next server on the same state accepts them too.
struct DownloadTickets: Sendable {
    private let key: [UInt8]

    /// - Parameter records: Where the key is kept. If they fail, tickets become invalid with this server.
    init(_ records: any RecordStore) {
        if let known = try? records.record(RecordCollections.keys, "downloads")?.string {
            key = Array(known.utf8)
            return
        }
        var generator = SystemRandomNumberGenerator()
        let text = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }.hexadecimal
        try? records.put(.string(text), RecordCollections.keys, "downloads")
        key = Array(text.utf8)
    }

    /// - Parameter seconds: The time in which requests must begin.
    func make(for job: JobID, lasting seconds: Double, at now: Timestamp) -> (ticket: String, expiresAt: Timestamp) {
        let end = now + seconds
        let text = "\(job.text).\(end.milliseconds)"
        return ("\(text).\(signature(text))", end)
    }

    /// - Returns: nil for a ticket of another server or an expired one.
    func job(_ ticket: String, at now: Timestamp) -> JobID? {
        let parts = ticket.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 3, let end = Int64(parts[1]), now.milliseconds < end else { return nil }
        let wanted = signature("\(parts[0]).\(parts[1])")
        return HMAC.areEqual(Array(wanted.utf8), Array(parts[2].utf8)) ? JobID(parts[0]) : nil
    }

    private func signature(_ text: String) -> String { HMAC.sha256(text.utf8, key: key).hexadecimal }
}
