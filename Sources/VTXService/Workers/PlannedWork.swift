import VTXJSON
import VTXJobs
import VTXSystem

extension PlannedWork {
    /// - Parameter document: the record `plan` of `vtx transcode --explain --json`.
    init(_ document: JSONValue, _ settings: [String: JSONValue]) {
        let video = document["video"]
        let source = video?["source"]
        let encoder = video?["encoder"]
        let (sourceSize, size) = (Self.megapixels(source?["size"]), Self.megapixels(encoder?["size"]))
        let (sourceCodec, codec) = (source?["codecName"]?.string ?? "", encoder?["codec"]?.string ?? "")
        var stages: [Stage: Workload.Work] = [
            .decode: .init(sourceCodec, megapixels: sourceSize), .encode: .init(codec, megapixels: size),
        ]
        if size != sourceSize { stages[.process] = .init("scale", megapixels: max(size, sourceSize)) }
        let hardware = settings["hardware"]?.string ?? "auto"
        let workload = Workload(
            stages: stages, frameRate: Self.rate(source?["averageFrameRate"]?.string),
            frames: document["expectedFrames"]?.integer.map { Int($0) }, allowsSoftware: hardware != "require",
            allowsHardware: document["usesHardware"]?.bool ?? false,
            devices: (settings["device"]?.string).map { [DeviceName($0)] },
            outputName: FileName.directory(of: document["output"]?.string ?? "").name)
        self.init(
            workload: workload, document: document, sourceCodec: sourceCodec, targetCodec: codec,
            expectedRatio: Self.ratio(source, encoder))
    }

    private static func megapixels(_ size: JSONValue?) -> Double {
        let numbers = (size?.string ?? "").split(separator: "x").compactMap { Double($0) }
        return numbers.count == 2 ? numbers[0] * numbers[1] / 1e6 : 0
    }

    /// `25`, or `30000/1001`.
    static func rate(_ text: String?) -> Double {
        let numbers = (text ?? "").split(separator: "/").compactMap { Double($0) }
        guard let first = numbers.first else { return 25 }
        guard numbers.count == 2 else { return first }
        return numbers[1] > 0 ? first / numbers[1] : 25
    }

    private static func ratio(_ source: JSONValue?, _ encoder: JSONValue?) -> Double? {
        guard let before = source?["bitrate"]?.number, before > 0,
            let after = encoder?["rateControl"]?["bitrate"]?.number
        else { return nil }
        return after / before
    }
}
