import Testing
import VTXJSON
import VTXSystem

@testable import VTXService

@Suite("Names of outputs")
struct OutputTests {
    private let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    @Test(
        "an output whose name is taken during the work is not kept",
        arguments: [("refuse", "failed"), ("skip", "skipped")])
    func takenMeanwhile(policy: String, state: String) throws {
        let service = try TestService(directory)
        let source = try directory.write("clip", to: "media/in.mp4")
        service.runner.afterwards.withLock { [directory] in
            $0 = { _ = try? directory.write("another program's", to: "media/out.mp4") }
        }
        let id = try service.submit(source, directory.file("media/out.mp4"), settings: ["overwrite": .string(policy)])
        #expect(try service.ended(id)["state"]?.string == state)
        service.stop()
        #expect(Directory.names(in: directory.file("media")).sorted() == ["in.mp4", "out.mp4"])
        #expect(directory.text("media/out.mp4") == "another program's")
    }

    /// Submits jobs with one output while the first of them is at work, and cancels that one or not.
    ///
    /// - Returns: all of them at their end, and the reasons for which the others waited.
    private func sameOutput(_ policies: [JSONValue], cancelsFirst: Bool) throws -> ([JSONValue], [String]) {
        let service = try TestService(directory)
        let source = try directory.write("clip", to: "media/in.mp4")
        let output = directory.file("media/out.mp4")
        let (others, first) = (Locked<[(id: String, reason: String)]>([]), Locked(""))
        service.runner.afterwards.withLock {
            $0 = { [weak service] in
                service?.runner.afterwards.withLock { $0 = nil }
                for policy in policies {
                    guard let id = try? service?.submit(source, output, settings: ["overwrite": policy]) else { return }
                    let reason = service?.reason(ofWaiting: id)
                    others.withLock { $0.append((id, reason ?? "")) }
                }
                if cancelsFirst { _ = try? service?.ask("DELETE", "/v1/jobs/\(first.withLock(\.self))") }
            }
        }
        let id = first.withLock { id in
            id = (try? service.submit(source, output, settings: ["overwrite": "replace"])) ?? ""
            return id
        }
        let ended = [try service.ended(id)] + (try others.withLock(\.self).map { try service.ended($0.id) })
        return (ended, others.withLock(\.self).map { $0.reason.replacing(id, with: "FIRST") })
    }

    @Test("jobs with one output wait for each other, and then do as if it had always existed")
    func sameOutput() throws {
        let (ended, reasons) = try sameOutput(["refuse", "skip", "replace"], cancelsFirst: false)
        #expect(ended.map { $0["state"] } == ["succeeded", "failed", "skipped", "succeeded"])
        #expect(ended[1]["error"]?["code"] == "output.exists")
        let output = directory.file("media/out.mp4")
        #expect(ended[2]["reason"]?.string == "'\(output)' exists" && ended[3]["reason"] == nil)
        #expect(Set(reasons) == ["job FIRST is writing '\(output)'"])
    }

    @Test("a job whose output another one did not write writes it")
    func firstFails() throws {
        let (ended, _) = try sameOutput(["refuse"], cancelsFirst: true)
        #expect(ended.map { $0["state"] } == ["cancelled", "succeeded"])
        #expect(directory.text("media/out.mp4") == "done: clip")
    }
}
