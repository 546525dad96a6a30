import VTXMedia
import VTXTask

/// The steps of `vtx doctor`, with injected dependencies.
struct DoctorExamination: Sendable {
    var libraries: [LibraryVersion]
    var system: [(name: String, value: String)]
    var probe: @Sendable () throws(TranscodeError) -> ProbeReport
    /// - Parameters: a device, nil for software, and the codec.
    var transcode: @Sendable (String?, VideoCodec) throws(TranscodeError) -> TranscodeReport
    /// The drivers' answers, verbatim, available after `probe`.
    var answers: @Sendable () -> [(node: String, text: String)] = { [] }

    /// - Parameter tell: Called after each step.
    func run(_ tell: (DoctorStep) -> Void) throws(TranscodeError) -> [DoctorStep] {
        var steps: [DoctorStep] = []
        func add(_ more: [DoctorStep]) {
            more.forEach(tell)
            steps += more
        }
        add([versions, facts])
        let report = try probe()
        add([hardware(report), trials(report)])
        // Not every FFmpeg can encode AV1.
        for codec in VideoCodec.allCases
        where codec != .av1 || report.devices.contains(where: { $0.encodesInSoftware(.av1) }) {
            add([try transcoded(codec, on: nil, "software")])
        }
        for device in report.devices where device.isHardware {
            for codec in VideoCodec.allCases where device.encodes(codec) {
                add([try transcoded(codec, on: device.device, device.device)])
            }
        }
        return steps
    }

    private var versions: DoctorStep {
        let rows = [["vtx", Program.version]] + libraries.map { [$0.name, $0.version] }
        return DoctorStep(
            name: "versions", verdict: .ok, summary: "vtx \(Program.version)",
            details: PlanText.table(rows).joined(separator: "\n"))
    }

    private var facts: DoctorStep {
        let known = system.first { $0.name == "distribution" }?.value ?? "unknown"
        let rows = system.map { [$0.name, $0.value] }
        return DoctorStep(
            name: "system", verdict: .ok, summary: known, details: PlanText.table(rows).joined(separator: "\n"))
    }

    private func hardware(_ report: ProbeReport) -> DoctorStep {
        let devices = report.devices.filter(\.isHardware)
        let answering = devices.filter { $0.rows.contains(where: \.isUsed) }
        let problem = (report.problems + devices.flatMap(\.problems)).first?.message
        let names = answering.map { "\($0.device) (\($0.name))" }
        return DoctorStep(
            name: "GPUs", verdict: answering.isEmpty ? .failed : .ok,
            summary: names.isEmpty ? problem ?? "none" : names.joined(separator: ", "),
            details: ProbeText.text(for: report))
    }

    private func trials(_ report: ProbeReport) -> DoctorStep {
        let trials = report.devices.filter(\.isHardware).flatMap { device in
            device.rows.compactMap(\.trial)
                + [device.processing?.trial, device.processing?.toneMappingTrial].compactMap(\.self)
        }
        guard !trials.isEmpty else {
            return DoctorStep(name: "trials", verdict: .skipped, summary: "there is nothing to test")
        }
        let bad = trials.count { [.failed, .crashed, .hung].contains($0.verdict) }
        return DoctorStep(
            name: "trials", verdict: bad == 0 ? .ok : .failed,
            summary: bad == 0 ? "all \(trials.count) passed" : "\(bad) of \(trials.count) failed")
    }

    private func transcoded(
        _ codec: VideoCodec, on device: String?, _ place: String
    ) throws(TranscodeError) -> DoctorStep {
        let report = try transcode(device, codec)
        let details = report.decisions.map(\.withFlags) + report.notices.map { "notice: \($0.withFlags)" }
        return DoctorStep(
            name: "\(codec) on \(place)", verdict: report.error == nil && report.isComplete ? .ok : .failed,
            summary: report.error?.withFlags ?? report.figures, details: details.joined(separator: "\n"),
            isSoftware: device == nil)
    }
}

extension DeviceReport {
    fileprivate func encodesInSoftware(_ codec: VideoCodec) -> Bool { !isHardware && encodes(codec) }

    fileprivate func encodes(_ codec: VideoCodec) -> Bool {
        rows.contains { $0.direction == .encode && $0.codec == codec.rawValue && $0.isUsed }
    }
}

extension TranscodeReport {
    /// `50 frames in 0.4 s, 52.3 dB`.
    fileprivate var figures: String {
        let quality = psnr.map { ", \(Format.tenths($0)) dB" } ?? ""
        return Format.frames(frames ?? 0) + " in \(Format.tenths(elapsedSeconds ?? 0)) s" + quality
    }
}

/// A step of `vtx doctor`.
struct DoctorStep: Sendable, Hashable {
    enum Verdict: String, Sendable, Hashable, Encodable {
        case ok
        case failed
        /// Not run, for a reason that another step reports.
        case skipped
    }

    var name: String
    var verdict: Verdict
    /// A short summary.
    var summary: String
    /// Details for the report.
    var details = ""
    /// Whether no GPU is involved.
    var isSoftware = false
}

/// The record of a step for `--json`.
struct StepRecord: Record {
    let type = "step"
    let name: String
    let verdict: DoctorStep.Verdict
    let summary: String

    init(_ step: DoctorStep) {
        name = step.name
        verdict = step.verdict
        summary = step.summary
    }
}
