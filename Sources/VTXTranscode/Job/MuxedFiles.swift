import VTXFFmpeg
import VTXMedia
import VTXSystem
package import VTXTask

extension MuxJob {
    /// Muxes the streams of several files into one. The first file has the video, as a byte stream or in a container.
    ///
    /// - Parameter willWrite: Called with the output before anything is written.
    package func combine(
        _ cancellation: Cancellation, willWrite: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(TranscodeError) -> TranscodeResult {
        var request = TranscodeRequest(input: input, output: output)
        (request.copiesVideo, request.overwrite) = (true, overwrite)
        for addition in additions { try request.addStreams(of: addition) }
        try request.check()
        _ = try InputFile.check(input)
        let first = try InputFile.open(input)
        if first.hasNoTimestamps || first.takesFrameRate {
            return try combineByteStream(request, cancellation, willWrite)
        }
        guard frameRate == nil, parameterSets == .auto else {
            throw TranscodeError(
                .conflict,
                "\(option: .frameRate) and \(option: .parameterSets) apply to byte streams only; '\(input)' is a container"
            )
        }
        return try copy(request, cancellation, willWrite)
    }

    /// Muxes a byte stream into a container first, which gives it timestamps.
    private func combineByteStream(
        _ request: TranscodeRequest, _ cancellation: Cancellation, _ willWrite: @escaping @Sendable (String) -> Void
    ) throws(TranscodeError) -> TranscodeResult {
        let directory: ScratchDirectory
        do throws(SystemError) { directory = try ScratchDirectory("vtx-mux") } catch {
            throw TranscodeError(.system, "\(error)")
        }
        var video = self
        video.additions = []
        video.output = "\(directory.path)/video.\(FileName.split(output).pathExtension)"
        _ = try video.run(cancellation)
        var request = request
        request.input = video.output
        return try withExtendedLifetime(directory) { () throws(TranscodeError) in
            try copy(request, cancellation, willWrite)
        }
    }

    private func copy(
        _ request: TranscodeRequest, _ cancellation: Cancellation, _ willWrite: @escaping @Sendable (String) -> Void
    ) throws(TranscodeError) -> TranscodeResult {
        try TranscodeJob(request, backends: [], cancellation: cancellation) { event in
            if case .planned(let plan) = event { willWrite(plan.output) }
        }
        .run()
    }
}

extension TranscodeRequest {
    /// Adds all audio and subtitle streams of a file.
    ///
    /// - Parameter text: In the form of an `AddedFile`.
    fileprivate mutating func addStreams(of text: String) throws(TranscodeError) {
        guard var file = AddedFile(text: text) else {
            throw TranscodeError(
                .badValue, "'\(text)' is not a file followed by :language=deu, :title=TEXT, :default or :forced")
        }
        _ = try InputFile.check(file.path)
        let kinds = try InputFile.open(file.path).streams.map(\.kind)
        for position in 0..<kinds.count(where: { $0 == .audio }) {
            file.position = position
            addedAudio.append(file)
        }
        for position in 0..<kinds.count(where: { $0 == .subtitle }) {
            file.position = position
            addedSubtitles.append(file)
        }
        guard kinds.contains(.audio) || kinds.contains(.subtitle) else {
            throw TranscodeError(
                .inputNoAudio, "'\(file.path)' has neither audio nor subtitles",
                hint: "video comes from the first file, audio and subtitles from the others")
        }
    }
}
