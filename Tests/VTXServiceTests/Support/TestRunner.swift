import Glibc
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

@testable import VTXService

/// Runs jobs by copying: the tests cover everything around it.
final class TestRunner: JobRunner {
    /// The number of transcodes of each source.
    let runs = Locked<[String: Int]>([:])
    /// Their contents.
    let sources = Locked<[String]>([])
    /// The settings of each transcode.
    let settings = Locked<[[String: JSONValue]]>([])
    /// What workers of earlier servers have finished, if there is an output.
    let left = Locked<FinishedWork?>(nil)
    /// How often such a worker has been ended.
    let ends = Locked(0)
    /// Called once an output is written, before its rename.
    let afterwards = Locked<(@Sendable () -> Void)?>(nil)
    /// Thrown once for each source, before anything is written.
    let failures = Locked<[String: Failure]>([:])

    func plan(_ work: MediaWork, _ control: RunControl) throws -> PlannedWork {
        let suffix = work.settings["replace"] == true ? "" : ".out"
        let name = outputName.withLock(\.self) ?? FileName.directory(of: work.output ?? work.input + suffix).name
        let workload = Workload(
            stages: [.encode: .init("h264", megapixels: 0.1)], frameRate: 25, frames: 1, outputName: name)
        if let failure = failures.withLock({ $0.removeValue(forKey: "plan " + work.input) }) { throw failure }
        return PlannedWork(
            workload: workload, document: ["output": .string(name), "expectedSeconds": 40], sourceCodec: "h264",
            targetCodec: "h264", keepsPictures: keepsPictures.withLock(\.self))
    }

    func finished(
        _ work: MediaWork, _ control: RunControl, _ report: @escaping @Sendable (RunReport) -> Void
    ) throws -> FinishedWork? { work.hasOutput ? left.withLock(\.self) : nil }

    func endOfLeftWorker(in workDirectory: String) -> (@Sendable () -> Void)? {
        guard left.withLock({ $0 != nil }) else { return nil }
        return { [ends] in ends.withLock { $0 += 1 } }
    }

    func transcode(
        _ work: MediaWork, on devices: [Stage: DeviceName], _ control: RunControl,
        _ report: @escaping @Sendable (RunReport) -> Void
    ) throws -> FinishedWork {
        // OUTPUT in texts is the worker's path.
        let names = OutputNames(hidden: "OUTPUT", shown: work.output ?? "", name: "")
        if let failure = failures.withLock({ $0.removeValue(forKey: work.input) }) { throw names.shown(failure) }
        runs.withLock { $0[work.input, default: 0] += 1 }
        settings.withLock { $0.append(work.settings) }
        sources.withLock { $0.append(TextFile.read(work.input) ?? "") }
        try write("done: \(TextFile.read(work.input) ?? "")", of: work)
        afterwards.withLock(\.self)?()
        var done = FinishedWork(
            frames: 1, duration: 1, seconds: 1, notices: 0, outcome: outcome.withLock(\.self),
            receipt: names.shown(receipt.withLock(\.self)))
        done.engineSeconds = used.withLock(\.self)
        return done
    }

    /// A ladder is a directory of such files.
    private func write(_ text: String, of work: MediaWork) throws {
        let output = work.output ?? ""
        guard work.settings["hls"] == true else { return try AtomicFile.write(text, to: output, replaces: false) }
        try Directory.make(output)
        for name in Self.ladder { try AtomicFile.write("\(name) \(text)", to: "\(output)/\(name)", replaces: false) }
    }

    static let ladder = ["1080p.m3u8", "1080p.mp4", "audio-1.mp4", "master.m3u8", "thumbnails.vtt"]

    let keepsPictures = Locked(true)
    let outcome = Locked(JobResult.Outcome.completed)
    /// The name that plans propose; by default it follows from the source's.
    let outputName = Locked<String?>(nil)
    /// The workers' last events.
    let receipt = Locked<JSONValue>(["type": "result"])
    let used = Locked<[EngineID: Double]>([:])

    /// The bytes of thumbnails.
    let picture = Locked<[UInt8]>([0xff, 0xd8, 0xff, 0xe0])
    /// The times of thumbnails, by the video's name.
    let places = Locked<[String: Double?]>([:])

    func draw(
        _ thumbnail: Thumbnail, of video: String, at seconds: Double?, in directory: String, _ control: RunControl
    ) {
        places.withLock { $0[FileName.directory(of: video).name] = .some(seconds) }
        let path = "\(directory)/\(thumbnail.fileName)"
        try? AtomicFile.write(picture.withLock(\.self), to: path, replaces: true)
    }

    static let gpu = DeviceName("/dev/dri/renderD128")
    /// The results of the GPU's next self-tests.
    let tests = Locked<[DeviceTest]>([])

    func devices() -> [ProbedDevice] {
        let broken = Device.gpu(DeviceName("/dev/dri/renderD129"), abilities: [:])
        return [
            ProbedDevice(device: .cpu(cores: 2), report: [:], isUsable: true),
            ProbedDevice(device: .gpu(Self.gpu, abilities: [.encode: ["hevc"]]), report: [:], isUsable: true),
            ProbedDevice(device: broken, report: [:], isUsable: false),
        ]
    }

    func selfTest(_ device: DeviceName, _ control: RunControl) -> DeviceTest {
        tests.withLock { $0.isEmpty ? DeviceTest() : $0.removeFirst() }
    }
}

/// A service on its own port, and a client.
final class TestService: Sendable {
    let service: Service
    let runner: TestRunner
    private let client = HTTPClient()

    init(
        _ directory: TestDirectory, token: String? = nil, runner: TestRunner = TestRunner(),
        _ change: (inout Service.Settings) -> Void = { _ in }
    ) throws {
        self.runner = runner
        var settings = Service.Settings(
            version: "1.2.3", listen: ListenAddress("127.0.0.1:0")!, state: directory.file("state"),
            roots: [directory.makeDirectory("media")], token: token)
        change(&settings)
        service = try Service(settings) { _ in runner }
        try service.start()
    }

    deinit { service.stop() }

    /// The consequences of a job's end are complete then.
    func stop() { service.stop() }

    func ask(
        _ method: String, _ path: String, _ body: JSONValue? = nil, _ headers: [(name: String, value: String)] = []
    ) throws -> (status: Int, body: JSONValue) {
        let json = body.map { _ in [(name: "Content-Type", value: "application/json")] } ?? []
        let response = try send(method, path, Array((body?.text ?? "").utf8), headers + json)
        return (
            response.status,
            (try? JSONValue(parsing: response.body)) ?? .string(String(decoding: response.body, as: UTF8.self))
        )
    }

    func send(
        _ method: String, _ path: String, _ body: [UInt8] = [], _ headers: [(name: String, value: String)] = []
    ) throws -> HTTPClient.Response {
        var request = HTTPClient.Request(method, "http://127.0.0.1:\(service.port)\(path)")
        (request.headers, request.body) = (headers, body)
        return try client.send(request)
    }

    func submit(_ path: String, _ output: String? = nil, settings: JSONValue = [:]) throws -> String {
        var body: [String: JSONValue] = ["input": ["path": .string(path)], "settings": settings]
        if let output { body["output"] = ["path": .string(output)] }
        return try ask("POST", "/v1/jobs", .object(body)).body["id"]?.string ?? ""
    }

    /// Waits until the job waits for another one's output.
    func reason(ofWaiting id: String) -> String? {
        while let job = try? ask("GET", "/v1/jobs/\(id)").body {
            if let reason = job["reason"]?.string { return reason }
            if job["endedAt"] != nil { return nil }
            usleep(10_000)
        }
        return nil
    }

    /// Waits until another job than the first waits for an output.
    func waitForSecond() {
        while let jobs = try? ask("GET", "/v1/jobs").body["jobs"]?.array {
            if jobs.contains(where: { $0["state"] == "waiting" && $0["reason"] != nil }) { return }
            usleep(10_000)
        }
    }

    /// Waits for the job's end.
    func ended(_ id: String) throws -> JSONValue {
        listen("/v1/jobs/\(id)/events", untilEnds: 1)
        return try ask("GET", "/v1/jobs/\(id)").body
    }

    /// Waits until this many jobs have ended.
    ///
    /// - Returns: all jobs, the newest first.
    func endedJobs(_ count: Int) throws -> [JSONValue] {
        listen("/v1/events", untilEnds: count)
        return try ask("GET", "/v1/jobs").body["jobs"]?.array ?? []
    }

    /// Counts ended jobs in the events, from the first one on.
    private func listen(_ path: String, untilEnds count: Int) {
        var request = HTTPClient.Request("GET", "http://127.0.0.1:\(service.port)\(path)")
        request.headers = [("Last-Event-ID", "0")]
        var text = ""
        let finals = ["succeeded", "failed", "cancelled", "skipped"].map { "\"state\":\"\($0)\"" }
        let receive: (RawSpan) -> Bool = { bytes in
            text += String(decoding: Array(copying: bytes), as: UTF8.self)
            return finals.reduce(0) { $0 + text.ranges(of: $1).count } < count
        }
        _ = try? client.send(request, receive: receive)
    }
}
