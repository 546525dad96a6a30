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
            let body: JSONValue = ["type": "thumbnail", "job": .string(job.id.text), "of": "source"]
            loop.send(.publish(LoggedEvent("thumbnail", of: job.id, at: .now, body: body.text)))
        }
    }

    /// Draws a thumbnail of the output before it has its name, under which it may be removed at any time.
    func drawOutput(of job: JobID, _ output: String) { _ = draw(.output, of: output, at: nil, job) }

    /// - Returns: whether there is one now.
    private func draw(_ thumbnail: Thumbnail, of video: String, at seconds: Double?, _ job: JobID) -> Bool {
        // The servers of a cluster do not see what a worker draws.
        guard segments == nil else { return false }
        let directory = files.thumbnailDirectory(job)
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { return false }
        limited(to: Self.thumbnailSeconds) { control in
            runner.draw(thumbnail, of: video, at: seconds, in: directory, control)
        }
        return files.thumbnails(of: job).contains(thumbnail)
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
