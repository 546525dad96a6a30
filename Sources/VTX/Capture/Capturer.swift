import Glibc
import VTXCapture
package import VTXMedia
import VTXSession
import VTXSystem
package import VTXTask

/// Records from a camera to files and live outputs, on the devices that sessions use.
package enum Capturer {
    /// The cameras and microphones of this machine.
    package static func devices() -> CaptureDevices {
        CaptureDevices(cameras: CameraList.all(), microphones: MicrophoneList.all())
    }

    /// Records. Blocks until the duration is reached, the camera is gone, or the recording is cancelled.
    ///
    /// - Parameters:
    ///   - driverFailures: The driver failures of earlier processes with this job.
    ///   - standardOutput: The descriptor of standard output.
    ///   - willUse: Called with a GPU before its driver is called for another purpose.
    ///   - report: Called with events, from any thread.
    package static func run(
        _ request: CaptureRequest, after driverFailures: [DriverFailure] = [], standardOutput: Int32 = STDOUT_FILENO,
        cancellation: Cancellation,
        willUse: @escaping @Sendable (DeviceID) -> Void = { _ in },
        report: @escaping @Sendable (WorkerEvent) -> Void
    ) throws(TranscodeError) -> TranscodeResult {
        var request = request
        if driverFailures.excludeAll { request.hardware = .off }
        let backends = SharedBackends { Backends.all(willUse: willUse) }
        return try CaptureJob(
            request, CaptureEncoders(request, backends, report), CaptureDecoders(request.hardware, backends, report),
            standardOutput: standardOutput, cancellation, report: report
        ).run()
    }
}
