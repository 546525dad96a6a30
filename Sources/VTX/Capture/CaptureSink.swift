import VTXCapture
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXTask

/// An open output of a capture session. After a failure it gets no more frames.
///
/// Unchecked: called by the session's thread only.
final class CaptureSink: @unchecked Sendable {
    private enum Target {
        case frames(PixelTransfer, @Sendable (CapturedFrame) -> Void)
        case file(CaptureRecorder)
    }

    /// The index among the outputs.
    let index: Int
    private let target: Target
    private(set) var failure: CaptureError?

    private init(_ index: Int, _ target: Target) { (self.index, self.target) = (index, target) }

    /// Opens all of them, or none.
    static func open(_ outputs: [CaptureOutput], _ format: CaptureFormat) throws(TranscodeError) -> [CaptureSink] {
        var sinks: [CaptureSink] = []
        do throws(TranscodeError) {
            for (index, output) in outputs.enumerated() {
                sinks.append(CaptureSink(index, try target(output, format)))
            }
        } catch {
            for sink in sinks { sink.abandon() }
            throw error
        }
        return sinks
    }

    private static func target(_ output: CaptureOutput, _ format: CaptureFormat) throws(TranscodeError) -> Target {
        switch output.kind {
        case .frames(let handler): return .frames(try transfer(format), handler)
        case .file(let path, let configuration):
            let request = configuration.request(path)
            let encoders = CaptureEncoders(request, .standard) { _ in }
            return .file(try CaptureRecorder.open(request, format, encoders) { _ in })
        }
    }

    /// Converts to NV12 in video range.
    private static func transfer(_ format: CaptureFormat) throws(TranscodeError) -> PixelTransfer {
        do throws(SessionError) {
            let software = try SoftwareBackend().openSession(on: SoftwareBackend.device)
            let target = FilterConfiguration(
                size: format.size, pixelFormat: .nv12, color: format.encodedColor, scaling: .fill, isSquare: true,
                deinterlacing: .never, orientation: .upright, frameRate: nil, sourceFrameRate: format.frameRate,
                timeBase: CaptureEncoder.timeBase)
            return PixelTransfer(device: software, software: software, target: target)
        } catch { throw TranscodeError(encoding: error) }
    }

    /// - Returns: the failure, once.
    func take(_ frame: Frame) -> CaptureError? {
        guard failure == nil else { return nil }
        return attempt { () throws(TranscodeError) in try give(frame) }
    }

    private func give(_ frame: Frame) throws(TranscodeError) {
        let own: Frame
        do throws(FFmpegError) { own = try frame.reference() } catch {
            throw TranscodeError(.sessionAllocationFailed, "no memory for a picture: \(error)")
        }
        switch target {
        case .file(let recorder): try recorder.record(own)
        case .frames(let transfer, let handler):
            let time = MediaTime(frame.pts ?? 0, CaptureEncoder.timeBase)
            do throws(SessionError) {
                handler(CapturedFrame(pixelBuffer: PixelBuffer(try transfer.fit(own)), time: time))
            } catch { throw TranscodeError(encoding: error) }
        }
    }

    /// - Returns: the same.
    func finish() -> CaptureError? {
        guard failure == nil, case .file(let recorder) = target else { return nil }
        return attempt { () throws(TranscodeError) in try recorder.finish() }
    }

    private func abandon() {
        if case .file(let recorder) = target { recorder.abandon() }
    }

    private func attempt(_ body: () throws(TranscodeError) -> Void) -> CaptureError? {
        do throws(TranscodeError) { try body() } catch {
            failure = CaptureError(error)
            abandon()
        }
        return failure
    }
}
