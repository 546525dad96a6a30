import Glibc
import VTXMedia
import VTXSystem

/// What GPUs' drivers did before. One that crashed or hung has its GPU left alone for a while, so that it costs one job
/// and not each; one that never answered is asked in a process of its own first, see `DriverInquiry`.
///
/// This is remembered in this process, and on disk for others. It belongs to a GPU with the drivers and the libva that
/// are installed: an update makes vtx ask again. Where nothing can be written, the process remembers alone.
package final class DriverHistory: Sendable {
    /// Those that all of this process share.
    package static let shared = DriverHistory(file: DriverRecordFile.standard, now: { WallClock.milliseconds / 1000 })

    private let file: DriverRecordFile?
    private let now: @Sendable () -> Int64
    private let known = Locked<[DriverRecord.Subject: DriverRecord]>([:])

    /// - Parameters:
    ///   - file: nil for this process alone.
    ///   - now: seconds since 1970.
    package init(file: DriverRecordFile?, now: @escaping @Sendable () -> Int64) {
        self.file = file
        self.now = now
    }

    /// Why a GPU is to be left alone; nil where it is not.
    package func quarantine(of node: RenderNode, in system: SystemView = .live) -> DriverQuarantine? {
        record(of: node, in: system)?.quarantine.flatMap { $0.holds(at: now()) ? $0 : nil }
    }

    /// Whether the driver said before what it can do, in this process or another one.
    package func hasAnswered(_ node: RenderNode, in system: SystemView = .live) -> Bool {
        record(of: node, in: system).map { $0.quarantine == nil } ?? false
    }

    private func record(of node: RenderNode, in system: SystemView) -> DriverRecord? {
        let (noted, kept) = (known.withLock { $0 }, file?.read() ?? [])
        // The drivers' files are looked at only where there is something to compare them with.
        if noted.isEmpty, kept.isEmpty { return nil }
        let subject = DriverRecord.Subject(node, in: system)
        return noted[subject] ?? kept.first { $0.subject == subject }
    }

    /// - Parameter keeps: false for this process alone.
    package func note(
        _ quarantine: DriverQuarantine, of node: RenderNode, keeps: Bool = true, in system: SystemView = .live
    ) {
        note(DriverRecord(subject: DriverRecord.Subject(node, in: system), quarantine: quarantine), keeps: keeps)
    }

    /// The driver has said what it can do.
    package func noteAnswer(of node: RenderNode, in system: SystemView = .live) {
        note(DriverRecord(subject: DriverRecord.Subject(node, in: system), quarantine: nil), keeps: true)
    }

    /// `its driver hung 2 minutes ago ...`.
    package func sentence(_ quarantine: DriverQuarantine) -> String { quarantine.sentence(at: now()) }

    package func makeQuarantine(_ kind: DriverQuarantine.Kind, _ deed: String, _ moment: DriverQuarantine.Moment)
        -> DriverQuarantine
    {
        DriverQuarantine(kind, deed, moment, at: now())
    }

    private func note(_ record: DriverRecord, keeps: Bool) {
        let isNew = known.withLock { $0.updateValue(record, forKey: record.subject) } != record
        guard isNew, keeps, let file else { return }
        let before = file.read()
        let after = before.filter { isOther($0, than: record) } + [record]
        if Set(after) != Set(before) { file.write(after) }
    }

    /// Answers of a GPU's earlier drivers are of no use; quarantines last until they expire.
    private func isOther(_ earlier: DriverRecord, than record: DriverRecord) -> Bool {
        guard earlier.subject != record.subject else { return false }
        return earlier.quarantine.map { $0.holds(at: now()) } ?? (earlier.subject.device != record.subject.device)
    }
}

/// Has the vtx command ask a driver what it can do, and keep in `DriverHistory` what comes of it. For drivers that never
/// answered here: one that crashes takes only that process along.
package struct DriverInquiry: Sendable {
    private let command: String
    /// `vtx probe` gives up on a driver after 10 s, or as `VTX_GPU_TIMEOUT` says.
    private static var timeout: Double { 30 }

    /// - Parameter command: a path of the vtx command.
    package init(command: String) { self.command = command }

    /// By the command that was installed with this program, or in the system; nil where there is none, or where it could
    /// not keep what it finds.
    package static let installed: DriverInquiry? = {
        guard DriverRecordFile.standard?.isWritable ?? false else { return nil }
        let own = (try? Launch.installed("vtx"))?.executable
        let places = [own].compactMap(\.self) + ["/usr/local/bin/vtx", "/usr/bin/vtx"]
        return places.first { access($0, X_OK) == 0 }.map { DriverInquiry(command: $0) }
    }()

    /// Returns when it has been asked. Where that cannot be done, the driver stays unknown.
    package func ask(_ node: RenderNode) {
        let launch = Launch(quiet: command, arguments: ["vtx", "probe", "--device", node.path])
        _ = try? VTXSystem.Thread.run(within: Self.timeout, "vtx-inquiry") {
            guard var process = try? Subprocess(launch, isSilent: true) else { return }
            _ = process.wait()
        }
    }
}
