import Testing
import VTX
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia
import VTXTranscode
import VTXSystem

/// One transcode from end to end, with its events.
struct Run {
    var result: TranscodeResult
    var plan: TranscodePlan
    var notices: [Notice]
    var progress: [Progress]

    /// Transcodes quickly, in software.
    static func transcode(
        _ input: String, to output: String, cancellation: Cancellation = Cancellation(),
        _ change: (inout TranscodeRequest) -> Void = { _ in }
    ) throws -> Run {
        let events = Locked<[TranscodeEvent]>([])
        let result = try job(request(input, to: output, change), cancellation) { event in
            events.withLock { $0.append(event) }
        }
        .run()
        return try #require(Run(result, events.withLock { $0 }))
    }

    /// The error of a transcode; nil on success.
    static func failure(
        _ input: String, to output: String?, cancellation: Cancellation = Cancellation(),
        _ change: (inout TranscodeRequest) -> Void = { _ in }
    ) -> TranscodeError? {
        do throws(TranscodeError) {
            _ = try job(request(input, to: output, change), cancellation).run()
            return nil
        } catch {
            return error
        }
    }

    /// Only the result: a skipped run has no plan.
    static func result(_ request: TranscodeRequest) throws -> TranscodeResult {
        try job(request).run()
    }

    /// On any available device, like the worker.
    static func job(
        _ request: TranscodeRequest, _ cancellation: Cancellation = Cancellation(),
        _ report: @escaping @Sendable (TranscodeEvent) -> Void = { _ in }
    ) -> TranscodeJob {
        TranscodeJob(request, backends: Backends.all(request.device), cancellation: cancellation, report: report)
    }

    private static func request(
        _ input: String, to output: String?, _ change: (inout TranscodeRequest) -> Void
    ) -> TranscodeRequest {
        var request = TranscodeRequest(input: input, output: output)
        request.preset = .fast
        request.codec = .h264
        change(&request)
        return request
    }

    private init?(_ result: TranscodeResult, _ events: [TranscodeEvent]) {
        let plans = events.compactMap { if case .planned(let plan) = $0 { plan } else { nil } }
        guard plans.count == 1, let plan = plans.first else { return nil }
        self.result = result
        self.plan = plan
        notices = events.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
        progress = events.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
    }

    /// The messages of the notices with this code.
    func messages(_ code: String) -> [Message] { notices.filter { $0.code == code }.map(\.message) }
}

extension TemporaryDirectory {
    /// - Returns: the path of a new clip of five frames.
    func clip(_ name: String = "in.mkv") throws -> String {
        let path = file(name)
        try MovieRecipe(VideoRecipe { $0.frameCount = 5 }).write(to: path)
        return path
    }
}
