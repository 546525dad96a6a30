import VTXMedia
import VTXSystem
package import VTXTask

extension MuxJob {
    /// Blocks until the output is in place, or nothing is left of it.
    ///
    /// - Parameter willWrite: hears of the output before anything is written.
    package func run(
        _ cancellation: Cancellation, willWrite: (String) -> Void = { _ in }
    ) throws(TranscodeError) -> TranscodeResult {
        let start = ContinuousClock.now
        _ = try InputFile.check(input)
        let container = try container()
        let output = ElementaryStreamOutput(
            path: output, input: input, overwrite: overwrite, cancellation: cancellation)
        guard try output.isWanted() else { return .skipped(output.path) }
        willWrite(output.path)
        let survey = try ElementaryStreamScan(path: input, codec: codec(container), output)
        let plan = try MuxPlan(self, container, survey)
        var written = ContentDigest()
        try output.write(
            { file throws(TranscodeError) in
                var writer = try MuxWriter(plan, file, output)
                written = try writer.write()
            },
            check: { file throws(TranscodeError) in
                try MuxCheck(plan, file, output).check(written)
            })
        return plan.result(output.path, elapsed: (ContinuousClock.now - start) / .seconds(1))
    }

    private func container() throws(TranscodeError) -> Container {
        let pathExtension = FileName.split(output).pathExtension
        guard let container = Container(fileExtension: pathExtension), !container.isElementaryStream else {
            let containers = Container.allCases.filter { !$0.isElementaryStream }
            throw .outputExtension(pathExtension, of: output, allowed: containers)
        }
        return container
    }

    private func codec(_ container: Container) throws(TranscodeError) -> VideoCodec {
        let video = try NALSource.open(input, videoPosition: 0, codec: nil)
        guard case .byteStream = video.source else {
            throw TranscodeError(
                .inputContainer, "'\(input)' is a container already, not a byte stream",
                hint: "vtx extract takes its video out; vtx transcode converts it")
        }
        return video.codec
    }
}
