import VTXLibVA
import VTXMedia
import VTXSession
import VTXSoftware
import VTXSystem
package import VTXTask
import VTXTranscode
import VTXVAAPI

extension SelfTestCase {
    /// Runs the test. The driver may crash or hang.
    package func run() -> SelfTestResult {
        _ = LibraryMessages.areQuietByDefault
        do throws(SessionError) {
            let trial = SelfTest(try session(), sizes: row?.sizes)
            switch subject {
            case .row(let row): return row.direction == .encode ? encode(row, trial) : decode(row, trial)
            case .processing: return trial.process(like: try Self.software())
            case .toneMapping: return trial.mapTones(like: try Self.software())
            }
        } catch {
            return SelfTestResult(.failed, evidence: error.message)
        }
    }

    private func encode(_ row: CodingRow, _ trial: SelfTest) -> SelfTestResult {
        guard let profile = row.videoProfile else {
            return SelfTestResult(.skipped, evidence: "vtx does not encode \(row.codec) \(row.profile)")
        }
        return trial.encode(profile)
    }

    /// Decodes at each bit depth of the row and returns the worst result.
    private func decode(_ row: CodingRow, _ trial: SelfTest) -> SelfTestResult {
        var result = SelfTestResult(.skipped)
        for depth in row.bitDepths {
            result = trial.decode(row.codec, bitDepth: depth, profile: row.videoProfile)
            guard result.verdict == .passed else { break }
        }
        return result
    }

    private func session() throws(SessionError) -> any DeviceSession {
        guard device != SoftwareBackend.device.name else { return try Self.software() }
        let row = row
        // Of the encoders the one in question alone; whatever else there is does no harm.
        let admits: @Sendable (DriverCapabilities.Row) -> Bool = { candidate in
            row == nil || !candidate.entrypoint.encodesVideo || CodingRow(candidate)?.isSame(as: row) == true
        }
        let backend = VAAPIBackend(selector: .path(device), history: nil, admits: admits)
        return try backend.openSession(on: DeviceID(device))
    }

    private static func software() throws(SessionError) -> any DeviceSession {
        try SoftwareBackend().openSession(on: SoftwareBackend.device)
    }
}

extension CodingRow {
    fileprivate func isSame(as other: CodingRow?) -> Bool {
        codec == other?.codec && profile == other?.profile && entrypoint == other?.entrypoint
            && direction == other?.direction
    }

    var videoProfile: VideoProfile? {
        VideoCodec(rawValue: codec).flatMap { VideoProfile(named: profile, codec: $0) }
    }

    fileprivate var sizes: (min: PixelSize, max: PixelSize)? {
        guard let maxSize else { return nil }
        return (PixelSize(minSize?.width ?? 16, minSize?.height ?? 16), PixelSize(maxSize.width, maxSize.height))
    }
}

extension SelfTestTranscode {
    /// Runs the test. A driver may crash or hang.
    package func run() -> TranscodeReport {
        do throws(TranscodeError) {
            try clip.make()
            return try transcode()
        } catch {
            return TranscodeReport(error)
        }
    }

    private func transcode() throws(TranscodeError) -> TranscodeReport {
        var request = TranscodeRequest(input: clip.input, output: clip.output)
        request.codec = codec
        request.hardware = device == nil ? .off : .require
        request.device = device.map(DeviceSelector.path) ?? .auto
        let facts = Locked(TranscodeReport())
        let result = try TranscodeJob(
            request, backends: Backends.all(request.device), cancellation: Cancellation()
        ) { event in
            guard case .planned(let plan) = event else { return }
            facts.withLock { $0.note(plan) }
        }
        .run()
        let psnr = try clip.compare()
        return facts.withLock { $0.completed(result, psnr: psnr) }
    }
}

extension TranscodeReport {
    fileprivate mutating func note(_ plan: TranscodePlan) {
        device = plan.video.encoding?.deviceName ?? ""
        decisions = plan.decisions.map { "\($0.subject): \($0.choice) (\($0.reason))" }
        notices = plan.notices.map(\.message)
    }

    fileprivate func completed(_ result: TranscodeResult, psnr: Double?) -> TranscodeReport {
        var report = self
        report.isComplete = result.outcome == .completed
        report.frames = result.frames
        report.elapsedSeconds = result.elapsedSeconds
        report.psnr = psnr
        report.notices += result.notices.map(\.message).filter { !report.notices.contains($0) }
        return report
    }
}
