import VTXMedia
import VTXSystem

/// The drivers that crashed or hung: a GPU whose driver did is left alone for a while, so that it costs one job and not
/// each.
///
/// They are remembered in this process, and on disk for others. A fault belongs to a GPU with the drivers and the libva
/// that are installed: an update makes vtx ask again. Where nothing can be written, the process remembers alone.
package final class DriverFaults: Sendable {
    /// Those that all of this process share.
    package static let shared = DriverFaults(file: FaultFile.standard, now: { WallClock.milliseconds / 1000 })

    private let file: FaultFile?
    private let now: @Sendable () -> Int64
    private let known = Locked<[FaultRecord.Subject: DriverFault]>([:])

    /// - Parameters:
    ///   - file: nil for this process alone.
    ///   - now: seconds since 1970.
    package init(file: FaultFile?, now: @escaping @Sendable () -> Int64) {
        self.file = file
        self.now = now
    }

    /// Why a GPU is to be left alone; nil where it is not.
    package func fault(of node: RenderNode, in system: SystemView = .live) -> DriverFault? {
        let (noted, kept) = (known.withLock { $0 }, file?.read() ?? [])
        // The drivers' files are looked at only where there is something to compare them with.
        if noted.isEmpty, kept.isEmpty { return nil }
        let subject = FaultRecord.Subject(node, in: system)
        let found = noted[subject] ?? kept.first { $0.subject == subject }?.fault
        return found.flatMap { $0.holds(at: now()) ? $0 : nil }
    }

    /// - Parameter keeps: false for this process alone.
    package func note(_ fault: DriverFault, of node: RenderNode, keeps: Bool = true, in system: SystemView = .live) {
        let subject = FaultRecord.Subject(node, in: system)
        known.withLock { $0[subject] = fault }
        if keeps { replace(subject, with: fault, in: file?.read() ?? []) }
    }

    /// The driver has answered.
    package func forget(_ node: RenderNode, in system: SystemView = .live) {
        let kept = file?.read() ?? []
        if known.withLock({ $0.isEmpty }), kept.isEmpty { return }
        let subject = FaultRecord.Subject(node, in: system)
        known.withLock { $0[subject] = nil }
        replace(subject, with: nil, in: kept)
    }

    /// `its driver hung 2 minutes ago ...`.
    package func sentence(_ fault: DriverFault) -> String { fault.sentence(at: now()) }

    package func makeFault(_ kind: DriverFault.Kind, _ deed: String, _ moment: DriverFault.Moment) -> DriverFault {
        DriverFault(kind, deed, moment, at: now())
    }

    /// - Parameter before: what the file holds.
    private func replace(
        _ subject: FaultRecord.Subject, with fault: DriverFault?, in before: [FaultRecord]
    ) {
        var after = before.filter { $0.subject != subject && $0.fault.holds(at: now()) }
        if let fault { after.append(FaultRecord(subject: subject, fault: fault)) }
        if after != before { file?.write(after) }
    }
}
