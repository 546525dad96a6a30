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
        let container = try container()
        guard try isWanted() else {
            return TranscodeResult(
                outcome: .skipped, output: request.output, frames: 0, seconds: 0, bytes: 0, elapsedSeconds: 0,
                notices: [])
        }
        return try run(try openSource(), container)
    }

    /// - Returns: false where the output is there and is to be left alone.
    private func isWanted() throws(TranscodeError) -> Bool {
        do throws(AtomicFileError) { return try AtomicFile.isWanted(request.output, request.overwrite) } catch {
            if case .exists(let path) = error { throw TranscodeError(existing: path) }
            throw TranscodeError(error)
        }
    }

    /// The same from a source that is open.
    func run(_ source: any CaptureSource, _ container: Container) throws(TranscodeError) -> TranscodeResult {
        let encoder = try encoders.open(
            source.format, usesGlobalHeader: Muxer.wantsGlobalHeader(format: container.muxerName))
        let decoder = try CaptureRecorder.decoder(for: source.format)
        let output = try CaptureOutput(request.output, container, replaces: request.overwrite == .replace)
        report(.capturing(description(source.format, encoder)))
        let recorder = CaptureRecorder(source.format, decoder, encoder, output)
        return try CaptureRun(request, source, recorder, cancellation, report).run()
    }

    private func container() throws(TranscodeError) -> Container {
        let pathExtension = FileName.split(request.output).pathExtension
        let allowed = Container.allCases.filter { $0 != .webm }
        guard let container = Container(fileExtension: pathExtension), allowed.contains(container) else {
            throw TranscodeError(
                .outputExtension, "the name '\(request.output)' does not say which file to record",
                hint: "allowed: \(alternatives(allowed.pathExtensions))")
        }
        if let codec = request.codec, !container.videoCodecs.contains(codec) {
            throw TranscodeError(.outputCodec, "'\(request.output)' is \(container), which holds no \(codec)")
        }
        return container
    }

    private func openSource() throws(TranscodeError) -> any CaptureSource {
        request.isTest
            ? try TestSource(size: request.wantedSize, frameRate: request.wantedFrameRate)
            : try Camera(request.device, size: request.wantedSize, frameRate: request.wantedFrameRate)
    }

    private func description(_ format: CaptureFormat, _ encoder: CaptureEncoder) -> CaptureDescription {
        CaptureDescription(
            device: request.device, output: request.output, format: format.name, size: format.size,
            frameRate: format.frameRate, codec: encoder.codec, encoder: encoder.deviceName,
            usesHardware: encoder.isHardware)
    }
}
