import Glibc
import VTX
import VTXMedia
import VTXTask
import VTXTranscode
import VTXSystem

/// The worker's side: it tells its supervisor how far it is, and notices when there is none any more.
final class WorkerLink: Sendable {
    static let faultVariable = "VTX_HARDWARE_FAULT"
    static let codecVariable = "VTX_PLANNED_CODEC"
    static let devicesVariable = "VTX_FAULTY_DEVICES"

    /// What a GPU did in the middle of this job, in words; nil where none did.
    let hardwareFault: String?
    /// It is not known which GPU that was: none is to be used.
    let avoidsHardware: Bool
    /// What an earlier worker had begun to write; the user was told so, and it stays.
    let plannedCodec: VideoCodec?
    private let pipe: Int32
    private let line = Locked(())

    /// The link of this process; nil where it is not a worker.
    static var own: WorkerLink? { current.withLock(\.self) }

    /// From now on this process is a worker.
    static func adopt(_ link: WorkerLink?) { current.withLock { $0 = link } }

    private static let current = Locked(inherited())

    private static func inherited() -> WorkerLink? {
        let variables = [WorkerProcess.variable, faultVariable, codecVariable, devicesVariable]
        let values = variables.map { getenv($0).map { String(cString: $0) } }
        // What this process starts is no worker of its supervisor.
        variables.forEach { unsetenv($0) }
        let codec = values[2].flatMap(VideoCodec.init)
        [DriverMemory.Fault](json: values[3]).forEach(DriverMemory.adopt)
        return values[0].flatMap(Int32.init).flatMap {
            WorkerLink(pipe: $0, hardwareFault: values[1], avoidsHardware: values[3] == nil, plannedCodec: codec)
        }
    }

    /// What the next worker finds in its environment.
    static func variables(after state: Supervision) -> [String: String] {
        // Of a job that had not begun there is nothing to tell but the GPU's fault.
        let fault = state.faults.last { !$0.isWhileAsked || $0.device == nil }
        let variables = [
            faultVariable: fault?.description,
            codecVariable: state.faults.lazy.compactMap(\.codec).first?.rawValue,
            devicesVariable: state.avoidsHardware ? nil : state.faults.compactMap(\.asMemory).json,
        ]
        return variables.compactMapValues(\.self)
    }

    /// - Parameter pipe: the writing end; nil comes back for anything else, such as a number from an old environment.
    init?(pipe: Int32, hardwareFault: String? = nil, avoidsHardware: Bool = true, plannedCodec: VideoCodec? = nil) {
        var status = stat()
        guard pipe > STDERR_FILENO, fstat(pipe, &status) == 0, status.st_mode & S_IFMT == S_IFIFO,
            fcntl(pipe, F_GETFL) & O_ACCMODE == O_WRONLY
        else { return nil }
        self.pipe = pipe
        self.hardwareFault = hardwareFault
        self.avoidsHardware = hardwareFault != nil && avoidsHardware
        self.plannedCodec = plannedCodec
        _ = fcntl(pipe, F_SETFD, FD_CLOEXEC)
        // A supervisor that was stopped reads nothing; the work is not to wait for it.
        _ = fcntl(pipe, F_SETFL, O_NONBLOCK)
    }

    func send(_ record: WorkerRecord) { send(text: record.line + "\n", mayWait: !record.isOneOfMany) }

    /// - Parameter mayWait: false for what is left out where the reader is slow.
    func send(text: String, mayWait: Bool = true) {
        var text = text
        line.withLock { _ in text.withUTF8 { write(UnsafeRawBufferPointer($0), mayWait: mayWait) } }
    }

    func report(_ event: TranscodeEvent) {
        switch event {
        case .planned(let plan):
            report(plan)
            send(.writing(output: plan.output))
        case .progress(let progress): send(.progress(WorkerProgress(progress)))
        case .notice, .finished: break
        }
    }

    func report(_ plan: TranscodePlan) {
        send(.planned(usesHardware: plan.video.usesHardware, codec: plan.video.codec))
    }

    /// Ends the process some time after its supervisor: nothing could see what it does, or stop it.
    func endWithSupervisor() {
        DetachedThread.start { [pipe] in
            var polled = pollfd(fd: pipe, events: 0, revents: 0)
            while polled.revents & Int16(POLLERR) == 0 { poll(&polled, 1, -1) }
            kill(getpid(), SIGTERM)
            // The usual end may wait for a driver that does not answer.
            poll(nil, 0, 10_000)
            StopSignal.terminate.endProcess()
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, mayWait: Bool) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = Glibc.write(pipe, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN, mayWait {
                var polled = pollfd(fd: pipe, events: Int16(POLLOUT), revents: 0)
                poll(&polled, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }
}

extension WorkerRecord {
    /// Nothing is lost without it: the next one says more. It is short enough to be written whole or not at all.
    fileprivate var isOneOfMany: Bool { if case .progress = self { true } else { false } }
}
