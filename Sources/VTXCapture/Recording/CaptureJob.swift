import VTXFFmpeg
package import VTXMedia
package import VTXSession
import VTXSystem
package import VTXTask

/// The encoder of a recording, and what is known of it.
package struct CaptureEncoder: Sendable {
    package var encoder: any VideoEncoder
    package var codec: VideoCodec
    /// As users know it.
    package var deviceName: String
    package var isHardware: Bool

    package init(_ encoder: any VideoEncoder, codec: VideoCodec, deviceName: String, isHardware: Bool) {
        self.encoder = encoder
        self.codec = codec
        self.deviceName = deviceName
        self.isHardware = isHardware
    }
}

extension CaptureEncoder {
    /// The unit in which frames that are sent count their time.
    package static var timeBase: Rational { CaptureTimeline.timeBase }
}

/// Opens encoders; above this module the backends have their names.
package protocol CaptureEncoderOpener: Sendable {
    /// - Parameters:
    ///   - format: of the frames that come.
    ///   - usesGlobalHeader: parameter sets go into the header, else before every key frame.
    func open(_ format: CaptureFormat, usesGlobalHeader: Bool) throws(TranscodeError) -> CaptureEncoder
}

/// A recording, from the camera to the file.
package struct CaptureJob: Sendable {
    private let request: CaptureRequest
    private let encoders: any CaptureEncoderOpener
    private let cancellation: Cancellation
    private let report: @Sendable (WorkerEvent) -> Void

    package init(
        _ request: CaptureRequest, _ encoders: any CaptureEncoderOpener, _ cancellation: Cancellation,
        report: @escaping @Sendable (WorkerEvent) -> Void
    ) {
        self.request = request
        self.encoders = encoders
        self.cancellation = cancellation
        self.report = report
    }

    /// Records until the time is over or something stops it, which is a success; with an error, what was recorded is in
    /// the output too.
    package func run() throws(TranscodeError) -> TranscodeResult {
        guard try areWanted(try request.destinations().filter { !$0.isLive }) else {
            return TranscodeResult(
                outcome: .skipped, output: request.outputs[0], frames: 0, seconds: 0, bytes: 0, elapsedSeconds: 0,
                notices: [])
        }
        return try run(try request.openSource())
    }

    private func areWanted(_ files: [CaptureDestination]) throws(TranscodeError) -> Bool {
        for file in files where try !isWanted(file.name) { return false }
        return true
    }

    /// - Returns: false where the output is there and is to be left alone.
    private func isWanted(_ path: String) throws(TranscodeError) -> Bool {
        do throws(AtomicFileError) { return try AtomicFile.isWanted(path, request.overwrite) } catch {
            if case .exists(let path) = error { throw TranscodeError(existing: path) }
            throw TranscodeError(error)
        }
    }

    /// The same from a source that is open.
    func run(_ source: any CaptureSource) throws(TranscodeError) -> TranscodeResult {
        let decoder = try CaptureDecoder(source.format)
        let recorder = try CaptureRecorder.open(request, source.format, encoders) { [report] in
            report(.transcode(.notice($0)))
        }
        report(.capturing(description(source.format, recorder.encoder)))
        return try CaptureRun(request, source, decoder, recorder, cancellation, report).run()
    }

    private func description(_ format: CaptureFormat, _ encoder: CaptureEncoder) -> CaptureDescription {
        CaptureDescription(
            device: request.device, outputs: request.outputs, format: format.name, size: format.size,
            frameRate: format.frameRate, codec: encoder.codec, encoder: encoder.deviceName,
            usesHardware: encoder.isHardware)
    }
}

extension CaptureRequest {
    package func openSource() throws(TranscodeError) -> any CaptureSource {
        isTest
            ? try TestSource(size: wantedSize, frameRate: wantedFrameRate)
            : try Camera(device, size: wantedSize, frameRate: wantedFrameRate)
    }
}
