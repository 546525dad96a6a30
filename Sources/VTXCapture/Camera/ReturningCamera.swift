import VTXMedia
import VTXSystem
package import VTXTask

/// A camera that is waited for: before it is there, and where it is unplugged. What it gives afterwards has the times of its
/// own clock, which goes on meanwhile.
///
/// Unchecked: one thread at a time calls it.
package final class ReturningCamera: CaptureSource, @unchecked Sendable {
    /// Seconds after which it is looked for again.
    private static let step = 0.5

    package let format: CaptureFormat
    package let watchesItself = true
    private let open: () throws(TranscodeError) -> any CaptureSource
    private let name: String
    private let now: @Sendable () -> Double
    private let report: @Sendable (Notice) -> Void
    /// nil while it is away.
    private var camera: (any CaptureSource)?
    private var lastPicture = 0.0
    private var nextLook = 0.0

    /// Waits until it is there.
    ///
    /// - Parameters:
    ///   - isCancelled: nothing is waited for any more.
    ///   - open: opens the camera.
    package init(
        _ name: String, isCancelled: () -> Bool, report: @escaping @Sendable (Notice) -> Void,
        now: @escaping @Sendable () -> Double = { MonotonicClock.seconds },
        open: @escaping () throws(TranscodeError) -> any CaptureSource
    ) throws(TranscodeError) {
        (self.name, self.report, self.now, self.open) = (name, report, now, open)
        let camera = try Self.first(name, isCancelled, report, open)
        (self.camera, format) = (camera, camera.format)
    }

    private static func first(
        _ name: String, _ isCancelled: () -> Bool, _ report: (Notice) -> Void,
        _ open: () throws(TranscodeError) -> any CaptureSource
    ) throws(TranscodeError) -> any CaptureSource {
        var isWaiting = false
        while true {
            do throws(TranscodeError) { return try open() } catch {
                guard error.kind == .cameraNotFound, !isCancelled() else { throw error }
                if !isWaiting { report(Notice(.captureCamera, "waiting for the camera '\(name)'")) }
                isWaiting = true
            }
            Poll.wait(for: [], seconds: step)
        }
    }

    package func start() throws(TranscodeError) {
        try camera?.start()
        lastPicture = now()
    }

    package func next(within seconds: Double) throws(TranscodeError) -> CapturedPicture? {
        guard let camera else {
            look(within: seconds)
            return nil
        }
        do throws(TranscodeError) {
            let picture = try camera.next(within: seconds)
            if picture != nil { lastPicture = now() }
            if now() - lastPicture >= CaptureFormat.timeout(format.frameRate) { lose("gives no pictures") }
            return picture
        } catch {
            guard error.kind == .cameraUnplugged else { throw error }
            lose("was unplugged")
            return nil
        }
    }

    private func lose(_ what: Message) {
        camera = nil
        nextLook = now() + Self.step
        report(Notice(.captureCamera, "the camera '\(name)' \(what); it is waited for"))
    }

    /// Another camera under its name, or one that gives something else, is not the one that is recorded.
    private func look(within seconds: Double) {
        let wait = nextLook - now()
        guard wait <= 0 else {
            Poll.wait(for: [], seconds: min(wait, seconds))
            return
        }
        nextLook = now() + Self.step
        guard let found = try? open(), found.format == format, (try? found.start()) != nil else { return }
        (camera, lastPicture) = (found, now())
        report(Notice(.captureCamera, "the camera '\(name)' is back"))
    }
}
