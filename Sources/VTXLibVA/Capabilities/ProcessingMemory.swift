import VTXJSON
import VTXSystem

/// What GPUs' video processors can do, kept on disk: only a context can be asked, and to make one takes a driver as long
/// as all its other answers.
///
/// It holds until the machine is started again, for a GPU with the drivers that are installed, and for an environment:
/// drivers read what they like from it.
package struct ProcessingMemory: Sendable {
    private let path: String

    package init(_ path: String) { self.path = path }

    /// `processing.json` in vtx's cache; nil where there is none.
    package static var standard: ProcessingMemory? { Directory.cache.map { ProcessingMemory("\($0)/processing.json") } }

    /// By device.
    private typealias Records = [String: Record]

    private struct Record: Codable {
        /// Of all that the answers depend on, but for the device.
        var digest: String
        /// In the format of `DriverCapabilities.text`, without rows.
        var answers: String
    }

    /// - Parameter driver: what it has said of itself.
    /// - Returns: nil where it has to be asked.
    func answer(
        of driver: DriverCapabilities, on node: RenderNode, in system: SystemView
    ) -> VideoProcessingCapabilities? {
        let subject = DriverRecord.Subject(node, in: system)
        guard let record = records(system)[subject.device], record.digest == digest(driver, subject, system) else {
            return nil
        }
        return (try? DriverCapabilities(text: record.answers))?.videoProcessing
    }

    /// Silent where it cannot.
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
