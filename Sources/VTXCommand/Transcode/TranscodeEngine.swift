import VTX
import VTXMedia
import VTXTask
import VTXTranscode

/// The things that the command asks of the library; tests put others in their place.
struct TranscodeEngine: Sendable {
    var plan: @Sendable (TranscodeRequest) throws(TranscodeError) -> TranscodePlan
    var run:
        @Sendable (
            TranscodeRequest, Cancellation, @escaping @Sendable (TranscodeEvent) -> Void
        ) throws(TranscodeError) -> TranscodeResult

    /// Sends the libraries' own messages somewhere; nil silences them.
    var listen: @Sendable ((@Sendable (String) -> Void)?) -> Void = { _ in }

    /// Has another process do the work; nil for this one.
    var supervisor: @Sendable (TranscodeRequest) throws(TranscodeError) -> Supervisor? = { _ in nil }
    /// Where this process is a worker.
    var link: @Sendable () -> WorkerLink? = { nil }

    static let live = TranscodeEngine(
        plan: { request throws(TranscodeError) in try Transcoder.plan(request, willUse: tell) },
        run: { request, cancellation, report throws(TranscodeError) in
            try Transcoder.run(request, cancellation: cancellation, willUse: tell, report: report)
        },
        listen: { LibraryMessages.send(verbose: true, to: $0) },
        supervisor: { request throws(TranscodeError) in try Supervisor.live(for: request) },
        link: { .own })

    /// A driver that never comes back from its next call is known by that.
    private static let tell: @Sendable (DeviceID) -> Void = { WorkerLink.own?.send(.using(device: $0.name)) }
}
