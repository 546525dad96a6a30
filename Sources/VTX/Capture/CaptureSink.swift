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
        case recording(CaptureRecorder)
    }

    /// The index among the outputs.
    let index: Int
    private let target: Target
    private(set) var failure: CaptureError?

    var recorder: CaptureRecorder? { if case .recording(let recorder) = target { recorder } else { nil } }

    private init(_ index: Int, _ target: Target) { (self.index, self.target) = (index, target) }

    /// Opens all outputs, or none.
    ///
    /// - Parameter report: Called with notices about the outputs, from any thread.
    static func open(
        _ outputs: [CaptureOutput], _ source: any CaptureSource, report: @escaping @Sendable (Notice) -> Void
    ) throws(TranscodeError) -> [CaptureSink] {
        var sinks: [CaptureSink] = []
        do throws(TranscodeError) {
            for (index, output) in outputs.enumerated() {
                sinks.append(CaptureSink(index, try target(output, source, report)))
            }
        } catch {
            for sink in sinks { sink.abandon() }
            throw error
        }
        return sinks
    }

    private static func target(
        _ output: CaptureOutput, _ source: any CaptureSource, _ report: @escaping @Sendable (Notice) -> Void
    ) throws(TranscodeError) -> Target {
        switch output.kind {
        case .frames(let handler): .frames(try transfer(source.format), handler)
        case .file(let path, let configuration):
            .recording(try recorder(configuration.request([path]), source, report))
        case .recording(let names, let configuration):
            .recording(try recorder(configuration.request(names), source, report))
        }
    }

    private static func recorder(
        _ request: CaptureRequest, _ source: any CaptureSource, _ report: @escaping @Sendable (Notice) -> Void
    ) throws(TranscodeError) -> CaptureRecorder {
        let encoders = CaptureEncoders(request, .standard) { event in
            if case .transcode(.notice(let notice)) = event { report(notice) }
        }
        return try CaptureRecorder.open(
            request, source.format, audio: source.audio, encoders, pipe: try request.openPipe(), report: report)
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
        case .recording(let recorder): try recorder.record(own)
        case .frames(let transfer, let handler):
            let time = MediaTime(frame.pts ?? 0, CaptureEncoder.timeBase)
            do throws(SessionError) {
                handler(CapturedFrame(pixelBuffer: PixelBuffer(try transfer.fit(own)), time: time))
            } catch { throw TranscodeError(encoding: error) }
        }
    }

    /// - Returns: the failure, once.
    func finish() -> CaptureError? {
        guard failure == nil, case .recording(let recorder) = target else { return nil }
        return attempt { () throws(TranscodeError) in try recorder.finish() }
    }

    private func abandon() {
        if case .recording(let recorder) = target { recorder.abandon() }
    }

    private func attempt(_ body: () throws(TranscodeError) -> Void) -> CaptureError? {
        do throws(TranscodeError) { try body() } catch {
            failure = CaptureError(error)
            abandon()
        }
        return failure
    }
}
