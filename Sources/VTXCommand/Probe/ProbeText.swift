import VTXMedia
import VTXTask

/// The output of `vtx probe` for users, in at most 100 columns.
enum ProbeText {
    private static let width = 100

    static func text(for report: ProbeReport) -> String {
        let machine = report.problems.flatMap(problem).map { $0.printable + "\n" }.joined()
        let parts = (machine.isEmpty ? [] : [machine]) + report.devices.map(device)
        return parts.joined(separator: "\n") + choices(report.choices) + verdict(report)
    }

    private static func device(_ report: DeviceReport) -> String {
        let heading = report.isHardware ? "\(report.device): \(report.name)" : report.name
        let lines = (report.isHardware ? hardware(report) : software(report)) + evidence(report)
        return ([heading] + lines.map { $0.isEmpty ? "" : "  " + $0 }).map { $0.printable + "\n" }.joined()
    }

    private static func hardware(_ report: DeviceReport) -> [String] {
        facts(report) + ProbeTable.sections(of: report) + processing(report) + unused(report)
            + report.problems.flatMap { [""] + problem($0) }
    }

    /// All profiles in one line, unless each has been tested.
    private static func software(_ report: DeviceReport) -> [String] {
        let known = ["decodes everything that this FFmpeg supports"]
        guard report.rows.allSatisfy({ $0.trial == nil }) else { return ProbeTable.sections(of: report) + [""] + known }
        let codecs = VideoCodec.allCases.map { codec in
            let profiles = report.rows.filter { $0.codec == codec.rawValue }.map(\.profile)
            return "encodes \(codec): " + (profiles.isEmpty ? "no" : profiles.joined(separator: ", "))
        }
        return codecs + known
    }

    private static func facts(_ report: DeviceReport) -> [String] {
        let pci = [report.pciAddress, report.pciID].compactMap(\.self).joined(separator: ", ")
        let version = report.vaAPI.map { " (VA-API \($0))" } ?? ""
        let names = report.selectors.filter { $0 != report.device }
        return [
            ("PCI", pci.isEmpty ? "none" : pci), ("kernel driver", report.kernelDriver ?? "unknown"),
            ("VA driver", (report.driver ?? "none that responds") + version), ("in use by", users(report)),
            ("--device", ([report.device] + names).joined(separator: ", ")),
        ].flatMap { fact($0.0, $0.1) }
    }

    private static func fact(_ name: String, _ text: String) -> [String] {
        let lines = text.wrapped(to: width - 17)
        return zip([name] + Array(repeating: "", count: lines.count), lines).map { $0.padded(to: 15) + $1 }
    }

    private static func users(_ report: DeviceReport) -> String {
        let count = report.otherProcesses ?? 0
        let users = count == 1 ? "1 other process" : count == 0 ? "no other process" : "\(count) other processes"
        return users + (report.busyPercent.map { ", busy for \(min($0, 100)) % of the time" } ?? "")
    }

    /// Indents all lines except the first.
    private static func paragraph(_ text: String) -> [String] {
        let lines = text.wrapped(to: width - 6)
        return lines.prefix(1) + lines.dropFirst().map { "  " + $0 }
    }
}

extension ProbeText {
    private static func processing(_ report: DeviceReport) -> [String] {
        guard report.driver != nil else { return [] }
        guard let able = report.processing else {
            return ["", "Video processing: none; software scales and deinterlaces"]
        }
        let turns = able.rotations.map(String.init) + able.mirrors.map { "mirrored \($0.lowercased())" }
        let formats = able.pixelFormats.filter(["NV12", "P010"].contains)
        let parts = [
            "Video processing: scaling" + (able.maxSize.map { " up to \($0)" } ?? ""), list("of", formats),
            list("deinterlacing", able.deinterlacing), list("turns", turns), list("tone mapping", able.toneMapping),
        ]
        return [""] + paragraph(parts.compactMap(\.self).joined(separator: "; ")) + ProbeTable.processing(able)
    }

    private static func list(_ name: String, _ words: [String]) -> String? {
        words.isEmpty ? nil : "\(name) \(words.joined(separator: " "))"
    }

    /// Groups the entrypoints of each profile.
    private static func unused(_ report: DeviceReport) -> [String] {
        var profiles: [(name: Substring, entrypoints: [Substring])] = []
        for row in report.unused {
            let words = row.split(separator: " ")
            guard words.count == 2 else { continue }
            if let index = profiles.firstIndex(where: { $0.name == words[0] }) {
                profiles[index].entrypoints.append(words[1])
            } else {
                profiles.append((words[0], [words[1]]))
            }
        }
        let names = profiles.map { "\($0.name) (\($0.entrypoints.joined(separator: " ")))" }
        return names.isEmpty ? [] : [""] + paragraph("Not used by vtx: " + names.joined(separator: ", "))
    }

    /// Explains the words in a table's last column, grouping equal rows.
    private static func evidence(_ report: DeviceReport) -> [String] {
        let rows =
            report.rows.map { ("\($0.direction.rawValue) \(ProbeTable.name($0))", $0.trial) }
            + [
                ("video processing", report.processing?.trial),
                ("tone mapping", report.processing?.toneMappingTrial),
            ]
        var groups: [(words: String, names: [String])] = []
        for (name, trial) in rows {
            guard let trial, let evidence = trial.evidence else { continue }
            let words = "\(trial.verdict.rawValue): \(evidence)"
            if let index = groups.firstIndex(where: { $0.words == words }) {
                groups[index].names.append(name)
            } else {
                groups.append((words, [name]))
            }
        }
        guard !groups.isEmpty else { return [] }
        let texts = groups.flatMap { paragraph("\($0.names.joined(separator: ", ")): \($0.words)") }
        return ["", "What the trials showed"] + texts.map { "  " + $0 }
    }

    private static func problem(_ problem: ProbeProblem) -> [String] {
        let hint = problem.hint.map { paragraph("hint: \($0.withFlags)").map { "  " + $0 } } ?? []
        return paragraph("problem: \(problem.message)") + hint
    }

    private static func choices(_ choices: [ProbeChoice]) -> String {
        let rows = choices.map { choice in
            let way = [choice.entrypoint, choice.rateControl].compactMap(\.self).joined(separator: " ")
            let device = choice.isHardware ? choice.device : "software"
            let reason = choice.options.isEmpty ? choice.codecReason : choice.deviceReason
            return [
                "vtx transcode \(choice.options.withFlags)".trimmingTrailingSpace,
                ProbeTable.title(ofCodec: choice.codec),
                way.isEmpty ? device : "\(device) \(way)",
                reason.withFlags + (choice.failedTrial ? "; but its trial failed" : ""),
            ]
        }
        return PlanText.section("What vtx would use", PlanText.table(rows))
    }

    private static func verdict(_ report: ProbeReport) -> String {
        report.hasUsableHardware ? "" : "\nNo GPU here can be used. vtx works in software.\n"
    }
}
