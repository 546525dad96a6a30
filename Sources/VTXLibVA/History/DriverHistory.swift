import Glibc
import VTXMedia
import VTXSystem

/// Remembers failures of GPU drivers. A GPU whose driver crashed or hung is not used for a while, so that it affects
/// one job instead of all. A driver that has never answered is first queried in a separate process, see
/// `DriverInquiry`.
///
/// The history is kept in this process, and on disk for others. An entry applies to a GPU with the installed drivers
/// and libva: after an update, vtx tries again. If the disk is not writable, only this process remembers.
package final class DriverHistory: Sendable {
    /// The history shared by the whole process.
    package static let shared = DriverHistory(file: DriverRecordFile.standard, now: { WallClock.milliseconds / 1000 })

    private let file: DriverRecordFile?
    private let now: @Sendable () -> Int64
    private let known = Locked<[DriverRecord.Subject: DriverRecord]>([:])

    /// - Parameters:
    ///   - file: nil for this process only.
    ///   - now: Seconds since 1970.
    package init(file: DriverRecordFile?, now: @escaping @Sendable () -> Int64) {
        self.file = file
        self.now = now
    }

    /// Returns why a GPU is quarantined; nil if it is not.
    package func quarantine(of node: RenderNode, in system: SystemView = .live) -> DriverQuarantine? {
        record(of: node, in: system)?.quarantine.flatMap { $0.holds(at: now()) ? $0 : nil }
    }

    /// Whether the driver has answered before, in this process or another one.
    package func hasAnswered(_ node: RenderNode, in system: SystemView = .live) -> Bool {
        record(of: node, in: system).map { $0.quarantine == nil } ?? false
    }

    private func record(of node: RenderNode, in system: SystemView) -> DriverRecord? {
        let (noted, kept) = (known.withLock { $0 }, file?.read() ?? [])
        // The drivers' files are checked only if there is an entry to compare with.
        if noted.isEmpty, kept.isEmpty { return nil }
        let subject = DriverRecord.Subject(node, in: system)
        return noted[subject] ?? kept.first { $0.subject == subject }
    }

    /// - Parameter keeps: Whether to store it on disk.
    package func note(
        _ quarantine: DriverQuarantine, of node: RenderNode, keeps: Bool = true, in system: SystemView = .live
    ) {
        note(DriverRecord(subject: DriverRecord.Subject(node, in: system), quarantine: quarantine), keeps: keeps)
    }

    /// Records that the driver has answered.
    package func noteAnswer(of node: RenderNode, in system: SystemView = .live) {
        note(DriverRecord(subject: DriverRecord.Subject(node, in: system), quarantine: nil), keeps: true)
    }

    /// `its driver hung 2 minutes ago ...`.
    package func sentence(_ quarantine: DriverQuarantine) -> String { quarantine.sentence(at: now()) }

    package func makeQuarantine(_ kind: DriverQuarantine.Kind, _ symptom: String, _ moment: DriverQuarantine.Moment)
        -> DriverQuarantine
    {
        DriverQuarantine(kind, symptom, moment, at: now())
    }

    private func note(_ record: DriverRecord, keeps: Bool) {
        let isNew = known.withLock { $0.updateValue(record, forKey: record.subject) } != record
        guard isNew, keeps, let file else { return }
        let before = file.read()
        let after = before.filter { isOther($0, than: record) } + [record]
        if Set(after) != Set(before) { file.write(after) }
    }

    /// Whether an entry is obsolete. Answers of earlier drivers are useless; quarantines last until they expire.
    private func isOther(_ earlier: DriverRecord, than record: DriverRecord) -> Bool {
        guard earlier.subject != record.subject else { return false }
        return earlier.quarantine.map { $0.holds(at: now()) } ?? (earlier.subject.device != record.subject.device)
    }
}

/// Queries a driver through the vtx command, which stores the result in `DriverHistory`. For drivers that have never
/// answered here: a crash affects only that process.
package struct DriverInquiry: Sendable {
    private let command: String
    /// `vtx probe` abandons a driver after 10 s, or `VTX_GPU_TIMEOUT`.
    private static var timeout: Double { 30 }

    /// - Parameter command: The path of the vtx command.
    package init(command: String) { self.command = command }

    /// Uses the command installed with this program or in the system; nil if there is none, or if it could not store
    /// the result.
    package static let installed: DriverInquiry? = {
        guard DriverRecordFile.standard?.isWritable ?? false else { return nil }
        let own = (try? Launch.installed("vtx"))?.executable
        let places = [own].compactMap(\.self) + ["/usr/local/bin/vtx", "/usr/bin/vtx"]
        return places.first { access($0, X_OK) == 0 }.map { DriverInquiry(command: $0) }
    }()

    /// Waits until the driver has been queried. If that is not possible, the driver stays unknown.
    package func ask(_ node: RenderNode) {
        let launch = Launch(quiet: command, arguments: ["vtx", "probe", "--device", node.path])
        _ = try? VTXSystem.Thread.run(within: Self.timeout, "vtx-inquiry") {
            guard var process = try? Subprocess(launch, isSilent: true) else { return }
            _ = process.wait()
        }
    }
}
