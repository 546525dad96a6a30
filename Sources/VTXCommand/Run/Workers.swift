import Glibc
import VTXMedia
import VTXSystem
import VTXTask
import VTXWorker

/// Runs tasks in workers; tests replace it.
struct Workers: Sendable {
    typealias Run =
        @Sendable (WorkerOrder, Supervision.Policy, any WorkerListener) throws(TranscodeError) -> Supervision.Outcome

    /// - Returns: a worker's last event, or the reason why there is none.
    var run: Run

    /// Runs this program's workers until a stop signal.
    ///
    /// - Parameter console: Abandoned if it is not read while a signal is pending.
    static func live(_ console: Console) -> Workers {
        Workers { order, policy, listener throws(TranscodeError) in
            let timeout = try DriverTimeout.seconds(getenv(DriverTimeout.variable).map { String(cString: $0) })
            do throws(SystemError) {
                var stops = try StopSignalDescriptor()
                [console.output, console.messages].forEach { $0.giveUp(whenReadable: stops.number) }
                return try Supervisor(try .worker(), policy, timeout: timeout).run(order, &stops, listener)
            } catch {
                throw TranscodeError(.workerStart, "vtx cannot start its worker: \(error)")
            }
        }
    }
}

extension Workers {
    /// Returns a worker's answer to a question, without loading drivers.
    func answer(to task: WorkerTask) throws(TranscodeError) -> WorkerAnswer {
        let listener = AnswerListener()
        let policy = Supervision.Policy(mayUseHardware: false, endsAtFirstStop: true)
        _ = try run(WorkerOrder(task), policy, listener).get()
        guard let answer = listener.answer else { throw TranscodeError(.internal, "the worker has no answer") }
        return answer
    }

    func libraries() throws(TranscodeError) -> [LibraryVersion] {
        if case .versions(let libraries) = try answer(to: .versions) { libraries } else { [] }
    }

    func unfinished(_ task: WorkerTask) throws(TranscodeError) -> [UnfinishedTranscode] {
        if case .unfinished(let found) = try answer(to: task) { found } else { [] }
    }
}

private final class AnswerListener: WorkerListener {
    private(set) var answer: WorkerAnswer?

    func report(_ event: WorkerEvent) -> Bool {
        if case .answer(let answer) = event { self.answer = answer }
        return true
    }
}

/// The timeout for an inactive driver.
enum DriverTimeout {
    static let variable = "VTX_GPU_TIMEOUT"
    /// Drivers wait for a GPU reset, which takes a few seconds.
    static let standard = 30.0

    /// - Parameter text: Seconds; nil is returned for 0, which means no timeout.
    static func seconds(_ text: String?) throws(TranscodeError) -> Double? {
        guard let text, !text.isEmpty else { return standard }
        guard let seconds = Double(text), seconds.isFinite, seconds >= 0 else {
            throw TranscodeError(
                .environment, "\(variable): '\(text)' is not a number of seconds",
                hint: "such as 30, or 0 for no timeout")
        }
        return seconds == 0 ? nil : seconds
    }
}

extension Supervision.Policy {
    init(for request: TranscodeRequest) {
        let secondRun: SecondRun =
            request.hardware == .require ? .forbidden : request.forbidsFallbacks ? .fallback : .allowed
        self.init(mayUseHardware: request.hardware != .off && RenderNodes.exist, secondRun: secondRun)
    }
}

enum RenderNodes {
    /// Whether there may be a GPU, without loading drivers.
    static var exist: Bool { Directory.names(in: "/dev/dri").contains { $0.hasPrefix("renderD") } }
}
