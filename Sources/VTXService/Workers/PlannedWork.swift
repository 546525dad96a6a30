package import VTXJSON
package import VTXJobs
import VTXMedia
import VTXSystem
import VTXTask

/// The expected work of a job, before a worker begins.
package struct PlannedWork: Sendable {
    package var workload: Workload
    /// The complete plan with its reasons.
    package var document: JSONValue
    package var sourceCodec: String
    package var targetCodec: String
    /// Whether only the encoding changes, and the frames stay the same.
    package var keepsPictures = true
    /// The expected ratio of the output's size to the source's, if known.
    package var expectedRatio: Double?
    /// The number of segments into which a cluster divides the video.
    package var segments = 1
}

extension PlannedWork {
    /// - Parameter document: The `plan` record of `vtx transcode --explain --json`.
    /// - Throws: `DecodingError`.
    init(_ document: JSONValue, _ settings: [String: JSONValue]) throws {
        let plan = try document.decoded(TranscodePlan.self)
        let (source, encoding) = (plan.video.source, plan.video.encoding)
        let rate = source.averageFrameRate
        let device = settings[OptionName.device.rawValue]?.string
        let workload = Workload(
            stages: Self.stages(source, plan.encodings), frameRate: rate.isPositive ? rate.value : 25,
            frames: plan.video.expectedFrames,
            allowsSoftware: settings[OptionName.hardware.rawValue]?.string != HardwarePolicy.require.rawValue,
            allowsHardware: plan.video.usesHardware, devices: device.map { [DeviceName($0)] },
            outputName: FileName.directory(of: plan.output).name)
        self.init(
            workload: workload, document: document, sourceCodec: source.codecName,
            targetCodec: encoding?.codec.rawValue ?? source.codecName,
            keepsPictures: plan.changesOnlyEncoding(Set(settings.keys.compactMap(OptionName.init))),
            expectedRatio: Self.ratio(source, plan.encodings),
            segments: encoding?.segments ?? 1)
    }

    /// Names an output beside its source after the requested path, as the command does: a link may have another name
    /// than the file that it leads to.
    mutating func nameOutput(after path: String, insteadOf source: String) {
        let (place, found) = (FileName.directory(of: path), FileName.directory(of: source).name)
        let (wanted, replaced) = (FileName.split(place.name).stem, FileName.split(found).stem)
        guard let name = workload.outputName, wanted != replaced, name.hasPrefix(replaced + ".") else { return }
        let output = wanted + name.dropFirst(replaced.count)
        workload.outputName = output
        var members = document.object ?? [:]
        members["output"] = .string("\(place.directory)/\(output)")
        document = .object(members)
    }

    /// - Parameter encodings: All renditions. Empty if the video is copied, which is hardly any work.
    private static func stages(_ source: StreamInfo, _ encodings: [VideoEncoding]) -> [Stage: Workload.Work] {
        guard let first = encodings.first else { return [.encode: .init(source.codecName, megapixels: 0.01)] }
        let (before, after) = (source.size, first.encoder.size)
        let encoded = encodings.reduce(0) { $0 + $1.encoder.size.megapixels }
        var stages: [Stage: Workload.Work] = [
            .decode: .init(source.codecName, megapixels: before.megapixels),
            .encode: .init(first.codec.rawValue, megapixels: encoded),
        ]
        if encodings.contains(where: { $0.encoder.size != before }) {
            stages[.process] = .init("scale", megapixels: max(before.megapixels, after.megapixels))
        }
        return stages
    }

    private static func ratio(_ source: StreamInfo, _ encodings: [VideoEncoding]) -> Double? {
        let bitrates = encodings.compactMap { encoding -> Int? in
            if case .bitrate(let average, _) = encoding.encoder.rateControl { average } else { nil }
        }
        guard source.bitrate > 0, !bitrates.isEmpty, bitrates.count == encodings.count else { return nil }
        return Double(bitrates.reduce(0, +)) / Double(source.bitrate)
    }
}

extension PixelSize {
    fileprivate var megapixels: Double { Double(width) * Double(height) / 1e6 }
}
