import Testing
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestValues
import VTXWorker

@testable import VTXCommand

@Suite("vtx transcode and its workers")
struct WorkersTests {
    private let test = TestConsole()
    private let shell = ShellScript()
    private let remembered = Locked<[DriverFailure]>([])

    private func run(_ arguments: [String], on test: TestConsole? = nil, _ workers: Workers) throws -> ExitCode {
        let settings = try #require(try ArgumentParser.parse(["in.mkv"] + arguments, by: .transcode))
        var run = TranscodeRun(settings, (test ?? self.test).console, workers)
        run.remember = { [remembered] failure in remembered.withLock { $0.append(failure) } }
        return settings.explains ? run.explain() : run.transcode()
    }

    /// Workers that run a shell script, with a plan with a GPU in `$PLAN`.
    private func script(_ script: String, secondRun: Supervision.Policy.SecondRun = .allowed) -> Workers {
        let plan = String(JSONLine.text(WorkerEvent.transcode(.planned(.example()))).dropLast())
        let launch = shell.launch(script, environment: ["PLAN": plan])
        return Workers { order, _, listener throws(TranscodeError) in
            do throws(SystemError) {
                var stops = try StopSignalDescriptor()
                let policy = Supervision.Policy(mayUseHardware: true, secondRun: secondRun)
                return try Supervisor(launch, policy, timeout: nil).run(order, &stops, listener)
            } catch { throw TranscodeError(.workerStart, "vtx cannot start its worker: \(error)") }
        }
    }

    @Test("with --json the last record is a result, even if every worker died")
    func lastRecord() throws {
        #expect(try run(["--json"], script("say \"$PLAN\"; kill -ABRT $$")) == .internalError)
        let last = try #require(test.output.lines.last)
        #expect(last.contains("\"type\":\"result\"") && last.contains("\"code\":\"worker.crashed\""))
        #expect(test.messages.lines.count == 1)
    }

    @Test("if hardware is required, the error has the reason and a hint")
    func required() throws {
        #expect(try run(["-q"], script("say \"$PLAN\"; kill -ABRT $$", secondRun: .forbidden)) == .hardware)
        #expect(
            test.messages.lines == [
                "vtx: error: the GPU's driver aborted (SIGABRT) after 0 frames, and --hw require allows no other attempt",
                "vtx: hint: --hw auto continues with another GPU or in software when a driver fails",
            ])
    }

    @Test("a worker that cannot be started is an error with a result")
    func cannotStart() throws {
        let workers = Workers { order, policy, listener throws(TranscodeError) in
            do throws(SystemError) {
                var stops = try StopSignalDescriptor()
                return try Supervisor(Launch(executable: "/none", arguments: ["none"]), policy, timeout: nil)
                    .run(order, &stops, listener)
            } catch { throw TranscodeError(.workerStart, "vtx cannot start its worker: \(error)") }
        }
        #expect(try run(["--json"], workers) == .internalError)
        #expect(test.output.text.contains("\"code\":\"worker.start\""))
        #expect(test.messages.text.contains("posix_spawn /none: No such file or directory"))
    }

    @Test("only the worker's plan is printed", arguments: [[], ["--json"]])
    func explain(arguments: [String]) throws {
        let workers = Workers { order, policy, listener throws(TranscodeError) in
            guard case .plan = order.task, policy.endsAtFirstStop else { throw TranscodeError(.internal, "no plan") }
            _ = listener.report(.transcode(.planned(.example())))
            return .success(.done)
        }
        #expect(try run(["--explain"] + arguments, workers) == .success)
        #expect(test.messages.text.isEmpty)
        if arguments.isEmpty {
            #expect(test.output.text.hasPrefix("in.mkv -> out.mp4"))
        } else {
            #expect(test.output.lines.count == 2 && test.output.lines[0].contains("\"type\":\"plan\""))
            #expect(test.output.lines[1].contains("\"exitCode\":0"))
        }
    }

    @Test("notices of a dead worker's work are not those of the next one")
    func restart() throws {
        let fault = DriverFailure(device: nil, symptom: "crashed", isHang: false, isWhileAsked: false)
        let workers = Workers { _, _, listener throws(TranscodeError) in
            _ = listener.report(.transcode(.notice(Notice(.fallbackDecode, "of the first"))))
            listener.failed(fault, continues: true)
            _ = listener.report(.transcode(.notice(Notice(.fallbackFault, "of the second"))))
            throw TranscodeError(.inputOpen, "it ends")
        }
        #expect(try run(["--json"], workers) == .input)
        let last = try #require(test.output.lines.last)
        #expect(last.contains("of the second") && !last.contains("of the first"))
    }

    @Test("later jobs avoid a GPU that the job avoids, but not one that it retries")
    func leftAlone() throws {
        let second = DriverFailure(
            device: DeviceID("/dev/dri/renderD7"), symptom: "crashed", isHang: false, isWhileAsked: false,
            stage: .encode)
        var first = second
        first.isRetried = true
        let workers = Workers { [first, remembered] _, _, listener throws(TranscodeError) in
            [first, second].forEach { listener.failed($0, continues: true) }
            #expect(remembered.withLock(\.isEmpty), "the next worker still uses the GPU for the rest")
            throw TranscodeError(.inputOpen, "it ends")
        }
        _ = try run([], workers)
        #expect(remembered.withLock(\.self) == [second])
    }

    @Test("later jobs avoid a GPU that the job has lost at once, recorded once")
    func leftAloneAtOnce() throws {
        let stage = DriverFailure(
            device: DeviceID("/dev/dri/renderD7"), symptom: "crashed", isHang: false, isWhileAsked: false,
            stage: .decode)
        var all = stage
        all.stage = nil
        let workers = Workers { [all, remembered] _, _, listener throws(TranscodeError) in
            [stage, all].forEach { listener.failed($0, continues: true) }
            #expect(remembered.withLock(\.self) == [all])
            throw TranscodeError(.inputOpen, "it ends")
        }
        _ = try run([], workers)
        #expect(remembered.withLock(\.self) == [all])
    }

    @Test("only -v shows the libraries' messages", arguments: [[], ["-v"], ["-v", "--json"]])
    func log(arguments: [String]) throws {
        let asked = Locked(false)
        let workers = Workers { order, _, listener throws(TranscodeError) in
            asked.withLock { $0 = order.reportsLog }
            _ = listener.report(.log("libx264: words"))
            throw TranscodeError(.inputOpen, "it ends")
        }
        _ = try run(arguments, workers)
        #expect(asked.withLock(\.self) == (arguments == ["-v"]))
        #expect(test.output.lines.allSatisfy { $0.hasPrefix("{") })
    }
}
