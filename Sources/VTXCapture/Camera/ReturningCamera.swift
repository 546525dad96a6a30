import VTXMedia
import VTXSystem
package import VTXTask

/// Waits for a camera that is missing or unplugged. After it returns, its frames have the timestamps of its clock,
/// which continues meanwhile.
///
/// Unchecked: one thread at a time calls it.
package final class ReturningCamera: CaptureSource, @unchecked Sendable {
    /// The interval between attempts to find it, in seconds.
    private static let step = 0.5

    package let format: CaptureFormat
    package let watchesItself = true
    private let open: () throws(TranscodeError) -> any CaptureSource
    private let name: String
    private let now: @Sendable () -> Double
    private let report: @Sendable (Notice) -> Void
    /// nil while it is missing.
    private var camera: (any CaptureSource)?
    private var lastPicture = 0.0
    private var nextLook = 0.0

    /// Waits until the camera is available.
    ///
    /// - Parameters:
    ///   - isCancelled: Whether to stop waiting.
    ///   - open: Opens the camera.
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
            if now() - lastPicture >= CaptureFormat.timeout(format.frameRate) { lose("delivers no frames") }
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
        report(Notice(.captureCamera, "the camera '\(name)' \(what); waiting for it"))
    }

    /// Looks for the camera. Another one with the same name, or one with another format, is rejected.
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
