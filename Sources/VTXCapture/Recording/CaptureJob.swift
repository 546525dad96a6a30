import Glibc
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
package import VTXTask

/// A recording from a camera to outputs.
package struct CaptureJob: Sendable {
    private let request: CaptureRequest
    private let encoders: any CaptureEncoderOpener
    private let decoders: any CaptureDecoderOpener
    private let standardOutput: Int32
    private let cancellation: Cancellation
    private let report: @Sendable (WorkerEvent) -> Void

    /// - Parameter standardOutput: The descriptor of standard output.
    package init(
        _ request: CaptureRequest, _ encoders: any CaptureEncoderOpener, _ decoders: any CaptureDecoderOpener,
        standardOutput: Int32 = STDOUT_FILENO, _ cancellation: Cancellation,
        report: @escaping @Sendable (WorkerEvent) -> Void
    ) {
        self.request = request
        (self.encoders, self.decoders) = (encoders, decoders)
        self.standardOutput = standardOutput
        self.cancellation = cancellation
        self.report = report
    }

    /// Records until the duration is reached or it is stopped, which is a success. After an error, the output contains
    /// everything recorded before.
    package func run() throws(TranscodeError) -> TranscodeResult {
        // Outputs that cannot be written are refused before the input is opened.
        let files = try request.destinations().filter { !$0.isLive }.map(\.name)
        try checkAreNoInput(files)
        let pipe = try request.openPipe(standardOutput)
        guard try areWanted(files) else {
            return TranscodeResult(
                outcome: .skipped, output: request.outputs[0], frames: 0, seconds: 0, bytes: 0, elapsedSeconds: 0,
                notices: [])
        }
        return try run(
            try request.openSource(decoders, cancellation) { [report] in report(.transcode(.notice($0))) }, pipe)
    }

    /// A file that is an input and an output would be truncated, or grow forever.
    private func checkAreNoInput(_ files: [String]) throws(TranscodeError) {
        guard let input = request.input, case .file(let path) = try CaptureInput(input),
            let identity = FileStatus(path)?.identity
        else { return }
        let isPiped = request.writesPipe && FileStatus(descriptor: standardOutput)?.identity == identity
        guard isPiped || files.contains(where: { FileStatus($0)?.identity == identity }) else { return }
        throw TranscodeError(AtomicFileError.isSource(path: path))
    }

    private func areWanted(_ files: [String]) throws(TranscodeError) -> Bool {
        for file in files where try !isWanted(file) { return false }
        return true
    }

    /// - Returns: false if the output exists and must not be changed.
    private func isWanted(_ path: String) throws(TranscodeError) -> Bool {
        do throws(AtomicFileError) { return try AtomicFile.isWanted(path, request.overwrite) } catch {
            throw TranscodeError(recording: error)
        }
    }

    /// Records from an open source.
    func run(_ source: any CaptureSource, _ pipe: CapturePipe? = nil) throws(TranscodeError) -> TranscodeResult {
        let decoder = try CaptureDecoder(source.format)
        let recorder = try CaptureRecorder.open(
            request, source.format, audio: source.audio, encoders, pipe: pipe
        ) { [report] in report(.transcode(.notice($0))) }
        report(.capturing(try description(source, recorder.encoder)))
        return try CaptureRun(request, source, decoder, recorder, cancellation, report).run()
    }

    private func description(
        _ source: any CaptureSource, _ encoder: CaptureEncoder
    ) throws(TranscodeError) -> CaptureDescription {
        let format = source.format
        var description = CaptureDescription(
            device: request.sourceName, outputs: request.outputs, format: format.name,
            size: encoder.format.encodedSize,
            frameRate: format.frameRate, codec: encoder.codec, encoder: encoder.deviceName,
            usesHardware: encoder.isHardware)
        description.decoder = source.decoderName
        guard try request.destinations().contains(where: \.holdsAudio) else { return description }
        description.audio = source.audio?.parameters.codecName
        description.copiesAudio = source.audio?.isCopied
        return description
    }
}

extension CaptureRequest {
    /// - Parameter report: Called when a connection is lost or restored.
    func openSource(
        _ decoders: any CaptureDecoderOpener, _ cancellation: Cancellation,
        report: @escaping @Sendable (Notice) -> Void
    ) throws(TranscodeError) -> any CaptureSource {
        guard let input else { return try openCameraAndMicrophone(cancellation, report) }
        let opener: any InputOpener
        switch try CaptureInput(input) {
        case .test: return try TestInput(size: wantedSize, frameRate: wantedFrameRate, hasAudio: takesAudio)
        case .standardInput: opener = SequentialOpener(try StandardInput(), self, decoders)
        case .file(let path):
            opener = SequentialOpener(try GrowingFile(path, timeout: reconnectSeconds), self, decoders)
        case .network(let url): opener = NetworkOpener(url, self, decoders)
        }
        try checkShape(input)
        // Until it is open, cancelling only has to stop the wait.
        cancellation.onCancel { opener.stop() }
        do throws(TranscodeError) { return try InputSource(opener, self, report: report) } catch {
            throw cancellation.reason.map { .beforeFirstPicture($0) } ?? error
        }
    }

    package func openCameraAndMicrophone(
        _ cancellation: Cancellation = Cancellation(), _ report: @escaping @Sendable (Notice) -> Void
    ) throws(TranscodeError) -> any CaptureSource {
        // The microphone first: a missing one fails immediately, whereas a camera may be waited for.
        let microphone = try audioDevice.map { name throws(TranscodeError) in try Microphone(name, report: report) }
        let camera = try openCamera(cancellation, report)
        return microphone.map { CameraWithMicrophone(camera, $0) } ?? camera
    }

    private func openCamera(
        _ cancellation: Cancellation, _ report: @escaping @Sendable (Notice) -> Void
    ) throws(TranscodeError) -> any CaptureSource {
        if isTest { return try TestSource(size: wantedSize, frameRate: wantedFrameRate) }
        guard waits else { return try Camera(device, size: wantedSize, frameRate: wantedFrameRate) }
        do throws(TranscodeError) {
            return try ReturningCamera(device, isCancelled: { cancellation.reason != nil }, report: report) {
                () throws(TranscodeError) in try Camera(device, size: wantedSize, frameRate: wantedFrameRate)
            }
        } catch { throw cancellation.reason.map { .beforeFirstPicture($0) } ?? error }
    }

    /// Rejects a requested size or frame rate for an input, whose frames are not changed.
    private func checkShape(_ input: String) throws(TranscodeError) {
        let takesFrameRate = try CaptureInput(input).takesFrameRate
        let wanted: Message? = size != nil ? "a size" : frameRate != nil && !takesFrameRate ? "a frame rate" : nil
        guard let wanted else { return }
        throw TranscodeError(.conflict, "\(wanted) applies to cameras and the test picture; '\(input)' keeps its own")
    }
}

extension TranscodeError {
    static func beforeFirstPicture(_ reason: Cancellation.Reason) -> TranscodeError {
        .cancelled(reason, "stopped before the first frame; nothing was recorded")
    }
}
