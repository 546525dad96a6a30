import VTXJSON
import VTXSystem

/// A cache of video processors' capabilities on disk. They can only be queried from a context, and creating one takes a
/// driver as long as all other queries together.
///
/// An entry is valid until a reboot, for one GPU, its installed drivers, and one environment, because drivers read
/// environment variables.
package struct ProcessingMemory: Sendable {
    private let path: String

    package init(_ path: String) { self.path = path }

    /// `processing.json` in vtx's cache; nil without a cache.
    package static var standard: ProcessingMemory? { Directory.cache.map { ProcessingMemory("\($0)/processing.json") } }

    /// By device.
    private typealias Records = [String: Record]

    private struct Record: Codable {
        /// A digest of everything that the answers depend on, except the device.
        var digest: String
        /// In the format of `DriverCapabilities.text`, without rows.
        var answers: String
    }

    /// - Parameter driver: The driver's other capabilities.
    /// - Returns: the cached answer; nil if the driver must be queried.
    func answer(
        of driver: DriverCapabilities, on node: RenderNode, in system: SystemView
    ) -> VideoProcessingCapabilities? {
        let subject = DriverRecord.Subject(node, in: system)
        guard let record = records(system)[subject.device], record.digest == digest(driver, subject, system) else {
            return nil
        }
        return (try? DriverCapabilities(text: record.answers))?.videoProcessing
    }

    /// Stores the answer. Failures are ignored.
    func keep(_ driver: DriverCapabilities, on node: RenderNode, in system: SystemView) {
        let subject = DriverRecord.Subject(node, in: system)
        var kept = driver
        kept.rows = []
        var records = records(system)
        records[subject.device] = Record(digest: digest(driver, subject, system), answers: kept.text)
        guard let text = try? JSONValue(encoding: records).text else { return }
        try? Directory.make(FileName.directory(of: path).directory)
        try? AtomicFile.write(text + "\n", to: path, replaces: true)
    }

    private func records(_ system: SystemView) -> Records {
        system.read(path).flatMap { try? JSONValue(parsing: $0).decoded() } ?? [:]
    }

    private func digest(_ driver: DriverCapabilities, _ subject: DriverRecord.Subject, _ system: SystemView) -> String {
        let start = system.read("/proc/sys/kernel/random/boot_id") ?? ""
        let environment = system.read("/proc/self/environ") ?? ""
        let facts = [subject.software, driver.vendorString, start, environment]
        return SHA256.hexadecimal(facts.joined(separator: "\n").utf8)
    }
}
