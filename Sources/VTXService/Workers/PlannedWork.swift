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
            stages: Self.stages(source, encoding), frameRate: rate.isPositive ? rate.value : 25,
            frames: plan.video.expectedFrames,
            allowsSoftware: settings[OptionName.hardware.rawValue]?.string != HardwarePolicy.require.rawValue,
            allowsHardware: plan.video.usesHardware, devices: device.map { [DeviceName($0)] },
            outputName: FileName.directory(of: plan.output).name)
        self.init(
            workload: workload, document: document, sourceCodec: source.codecName,
            targetCodec: encoding?.codec.rawValue ?? source.codecName,
            keepsPictures: Self.keepsPictures(plan.video, settings),
            expectedRatio: encoding.flatMap { Self.ratio(source, $0.encoder.rateControl) },
            segments: encoding?.segments ?? 1)
    }

    /// Settings that change or shorten the video or its bit rate, and are not part of the filter plan.
    private static let wishes: [OptionName] = [
        .burnSubtitles, .bitrate, .maxBitrate, .target, .targetSize, .start, .duration,
    ]

    private static func keepsPictures(_ video: VideoPlan, _ settings: [String: JSONValue]) -> Bool {
        guard let encoding = video.encoding, !wishes.contains(where: { settings[$0.rawValue] != nil }) else {
            return false
        }
        let filter = encoding.filter
        let isWhole = filter.size == video.source.size && filter.crop == nil && filter.frameRate == nil
        let isDimmed = filter.toneMapping?.meaning(of: video.source.color).isHDR == true
        let isPlain = !isDimmed && filter.custom == nil && filter.denoising == nil
        return isWhole && isPlain && filter.sharpening == nil && filter.orientation == .upright
            && [.never, .flaggedFrames].contains(filter.deinterlacing)
    }

    /// - Parameter encoding: nil if the video is copied, which is hardly any work.
    private static func stages(_ source: StreamInfo, _ encoding: VideoEncoding?) -> [Stage: Workload.Work] {
        guard let encoding else { return [.encode: .init(source.codecName, megapixels: 0.01)] }
        let (before, after) = (source.size, encoding.encoder.size)
        var stages: [Stage: Workload.Work] = [
            .decode: .init(source.codecName, megapixels: before.megapixels),
            .encode: .init(encoding.codec.rawValue, megapixels: after.megapixels),
        ]
        if after != before { stages[.process] = .init("scale", megapixels: max(before.megapixels, after.megapixels)) }
        return stages
    }

    private static func ratio(_ source: StreamInfo, _ rateControl: RateControl) -> Double? {
        guard source.bitrate > 0, case .bitrate(let after, _) = rateControl else { return nil }
        return Double(after) / Double(source.bitrate)
    }
}

extension PixelSize {
    fileprivate var megapixels: Double { Double(width) * Double(height) / 1e6 }
}
