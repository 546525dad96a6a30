import Glibc
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

// Small pictures of source and output, of the same moment, so that people see at a glance what a job is about. Workers
// draw them: the server reads no video.
extension WorkerPool {
    private static let thumbnailSeconds = 15.0

    /// Draws a thumbnail of the source while the work continues without waiting for it.
    func drawSource(of job: Job, _ input: String, _ plan: JSONValue) {
        let settings = job.specification.settings
        // The first video is drawn; another one that is asked for is in the output alone.
        guard settings["videoStream"]?.integer ?? 0 == 0, !files.thumbnails(of: job.id).contains(.source) else {
            return
        }
        let seconds = plan["expectedSeconds"]?.number.map { Self.start(settings) + $0 / 10 }
        spawn("vtx-thumbnail") { [self] in
            guard draw(.source, of: input, at: seconds, job.id) else { return }
            loop.send(.publish(.thumbnail(.source, of: job.id)))
        }
    }

    /// Draws a thumbnail of the output before it has its name, under which it may be removed at any time.
    func drawOutput(of job: JobID, _ output: String) { _ = draw(.output, of: output, at: nil, job) }

    /// - Returns: whether there is one now.
    private func draw(_ thumbnail: Thumbnail, of video: String, at seconds: Double?, _ job: JobID) -> Bool {
        // On a cluster's worker, the thumbnail is temporary, like the job's other files.
        let directory = sendThumbnail == nil ? files.thumbnailDirectory(job) : "\(files.workDirectory(job))/thumbnails"
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { return false }
        limited(to: Self.thumbnailSeconds) { control in
            runner.draw(thumbnail, of: video, at: seconds, in: directory, control)
        }
        if let sendThumbnail, let bytes = thumbnail.read(in: directory) { sendThumbnail(thumbnail, bytes, job) }
        return FileStatus("\(directory)/\(thumbnail.fileName)", followsLinks: false)?.kind == .regular
    }

    /// Keeps a thumbnail that another host has drawn.
    func keep(_ thumbnail: Thumbnail, _ bytes: [UInt8], of job: JobID) {
        let directory = files.thumbnailDirectory(job)
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { return }
        try? AtomicFile.write(bytes, to: "\(directory)/\(thumbnail.fileName)", replaces: true)
    }

    /// Returns where the output begins in the source.
    private static func start(_ settings: [String: JSONValue]) -> Double {
        settings["start"].flatMap { $0.number ?? $0.string.flatMap { TimeText.seconds($0) } } ?? 0
    }

    /// Runs `body` with a time limit.
    func limited<Result>(
        to seconds: Double, _ body: (RunControl) throws -> Result
    ) rethrows -> Result {
        let control = RunControl()
        let limit = BoundedQueue<Void>(capacity: 1)
        defer { limit.cancel() }
        spawn("vtx-limit") {
            do throws(QueueCancelled) {
                _ = try limit.pop(timeoutSeconds: seconds)
                control.kill()
            } catch {}
        }
        return try body(control)
    }
}

extension LoggedEvent {
    /// Returns the event for a new thumbnail.
    static func thumbnail(_ thumbnail: Thumbnail, of job: JobID) -> LoggedEvent {
        let body: JSONValue = ["type": "thumbnail", "job": .string(job.text), "of": .string(thumbnail.rawValue)]
        return LoggedEvent("thumbnail", of: job, at: .now, body: body.text)
    }
}
