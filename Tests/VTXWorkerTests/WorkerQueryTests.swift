import Glibc
import Testing
import VTXSystem
import VTXTask
import VTXTestValues

@testable import VTXWorker

@Suite("Queries of processes that may die")
struct WorkerQueryTests {
    private let shell = ShellScript()
    private let stops = TestStops()

    private func run(_ scripts: String..., seconds: Double? = 600) -> [WorkerQuery.Answer] {
        let answer = JSONLine.text(WorkerEvent.answer(.driver(NodeProbe(answers: "words", problems: [])))).dropLast()
        var stops = stops
        return WorkerQuery.run(
            scripts.map {
                WorkerQuery(
                    shell.launch($0, environment: ["ANSWER": String(answer)], readsOrder: true),
                    .askDriver(node: "/dev/dri/renderD128"), seconds: seconds)
            }, &stops)
    }

    private let answer = WorkerQuery.Answer.success(.driver(NodeProbe(answers: "words", problems: [])))

    @Test("an answer is valid, however the process ends")
    func answers() {
        #expect(run("say \"$ANSWER\"; kill -SEGV $$", "say noise; say \"$ANSWER\"") == [answer, answer])
    }

    @Test("a process receives its query")
    func order() throws {
        _ = run("echo \"$ORDER\" > \"$D/order\"")
        let order = try JSONLine.value(WorkerOrder.self, from: try #require(shell.text(of: "order")))
        #expect(order.task == .askDriver(node: "/dev/dri/renderD128"))
    }

    @Test("a crash is a result, and so is an end without an answer; the others are queried")
    func crash() {
        #expect(
            run("kill -ABRT $$", "exit 0", "say \"$ANSWER\"") == [
                .failure(.ended(.killed(signal: SIGABRT))), .failure(.ended(.exited(0))), answer,
            ])
    }

    @Test("a process that hangs is ended")
    func hang() {
        #expect(run("exec sleep 1000", seconds: 0.05) == [.failure(.hung(seconds: 0.05))])
    }

    @Test("all are queried in parallel")
    func parallel() {
        // Each continues when the other has begun.
        let wait = "while ! [ -e \"$D/%\" ]; do sleep 0.01; done; say \"$ANSWER\""
        let scripts = [("a", "b"), ("b", "a")].map { "touch \"$D/\($0)\"; " + wait.replacing("%", with: $1) }
        #expect(run(scripts[0], scripts[1]) == [answer, answer])
    }

    @Test("a process that closes its pipe is waited for")
    func closedPipe() {
        #expect(run("exec bash -c \"exec $2>&-; exit 4\"") == [.failure(.ended(.exited(4)))])
    }

    @Test("a grandchild that keeps the pipe open is not waited for")
    func heldPipe() throws {
        #expect(run("sleep 1000 & echo $! > \"$D/pid\"; exit 5") == [.failure(.ended(.exited(5)))])
        Glibc.kill(try #require(shell.text(of: "pid").flatMap(Int32.init)), SIGKILL)
    }

    @Test("a request to stop ends all of them")
    func stop() {
        stops.send(.interrupted)
        let stopped = WorkerQuery.Answer.failure(.stopped(.interrupted))
        #expect(run("exec sleep 1000", "exec sleep 1000") == [stopped, stopped])
    }
}
