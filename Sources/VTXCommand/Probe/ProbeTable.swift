import VTXMedia
import VTXTask

/// Tables of what a device decodes and encodes.
enum ProbeTable {
    /// Returns lines, with an empty one before each table.
    static func sections(of report: DeviceReport) -> [String] {
        let encoding = report.isHardware ? hardwareEncoding : softwareEncoding
        return table("encodes", encoding, rows(.encode, of: report))
            + table("decodes", decoding, rows(.decode, of: report))
    }

    /// Describes the self-tests of the video processor; empty if not tested.
    static func processing(_ able: ProcessingReport) -> [String] {
        guard let trial = able.trial else { return [] }
        var rows = [["scales", able.maxSize.map { "up to \($0)" } ?? "-", word(trial)]]
        if let trial = able.toneMappingTrial { rows.append(["maps tones", "HDR to SDR", word(trial)]) }
        return [""] + PlanText.table([["processes", "driver says", "trial"]] + rows)
    }

    private typealias Column = (title: String, cell: @Sendable (CodingRow) -> String)

    private static let hardwareEncoding: [Column] = [
        ("entrypoint", { $0.entrypoint ?? "-" }), ("bits", bits), ("up to", size), ("rate control", rateControls),
        ("B", bFrames), ("headers", headers),
    ]
    private static let softwareEncoding: [Column] = [("bits", bits), ("up to", size), ("B", bFrames)]
    private static let decoding: [Column] = [("entrypoint", { $0.entrypoint ?? "-" }), ("bits", bits), ("up to", size)]

    private static func table(_ title: String, _ columns: [Column], _ rows: [CodingRow]) -> [String] {
        guard !rows.isEmpty else { return [] }
        var columns = [(title, name)] + columns
        if rows.contains(where: { $0.trial != nil }) { columns.append(("trial", { $0.trial.map(word) ?? "-" })) }
        return [""] + PlanText.table([columns.map(\.title)] + rows.map { row in columns.map { $0.cell(row) } })
    }

    /// Codecs that vtx encodes come first.
    private static func rows(_ direction: CodingRow.Direction, of report: DeviceReport) -> [CodingRow] {
        let rows = report.rows.filter { $0.direction == direction }
        return codecs.flatMap { codec in
            let ofCodec = rows.filter { $0.codec == codec.name }
            let known = profiles.flatMap { profile in ofCodec.filter { $0.profile == profile } }
            return known + ofCodec.filter { !profiles.contains($0.profile) }
        }
    }

    /// In the order of their capabilities, without duplicates.
    private static let profiles = VideoProfile.allCases.map(\.name).reduce(into: [String]()) { names, name in
        if !names.contains(name) { names.append(name) }
    }

    private static let codecs: [(name: String, title: String)] = [
        ("h264", "H.264"), ("hevc", "HEVC"), ("av1", "AV1"), ("vp9", "VP9"), ("vp8", "VP8"),
        ("mpeg2video", "MPEG-2"), ("vc1", "VC-1"),
    ]

    /// VA-API's names of codecs that vtx only decodes.
    private static let titles = [
        "MPEG2Simple": "MPEG-2 simple", "MPEG2Main": "MPEG-2 main", "VC1Advanced": "VC-1 advanced",
        "VP8Version0_3": "VP8", "VP9Profile0": "VP9 profile 0", "VP9Profile2": "VP9 profile 2",
    ]
}

extension ProbeTable {
    /// `HEVC main10`.
    @Sendable static func name(_ row: CodingRow) -> String {
        titles[row.profile] ?? "\(title(ofCodec: row.codec)) \(row.profile)"
    }

    static func title(ofCodec name: String) -> String { codecs.first { $0.name == name }?.title ?? name }

    /// The result of a self-test in one word: the quality, or what happened instead.
    static func word(_ trial: SelfTestResult) -> String {
        switch trial.verdict {
        case .passed: trial.psnr.map { "\(Format.tenths($0)) dB" } ?? "exact"
        case .failed, .crashed, .hung: trial.verdict.rawValue.uppercased()
        case .skipped: "-"
        }
    }

    @Sendable private static func bits(_ row: CodingRow) -> String {
        row.bitDepths.map(String.init).joined(separator: " ") + (row.isUsed ? "" : " (not used)")
    }

    @Sendable private static func size(_ row: CodingRow) -> String { row.maxSize?.description ?? "-" }

    /// The rate control modes that vtx uses.
    @Sendable private static func rateControls(_ row: CodingRow) -> String {
        let known = ["CQP", "CBR", "VBR", "ICQ", "QVBR"].filter(row.rateControls.contains)
        return known.isEmpty ? "-" : known.joined(separator: " ")
    }

    @Sendable private static func bFrames(_ row: CodingRow) -> String { row.bFrames == true ? "B" : "-" }

    @Sendable private static func headers(_ row: CodingRow) -> String {
        let short = [
            ("SEQUENCE", "seq"), ("PICTURE", "pic"), ("SLICE", "slice"), ("MISC", "misc"), ("RAW_DATA", "raw"),
        ]
        let names = short.filter { row.packedHeaders?.contains($0.0) == true }.map(\.1)
        return names.count == short.count ? "all" : names.isEmpty ? "-" : names.joined(separator: " ")
    }
}
