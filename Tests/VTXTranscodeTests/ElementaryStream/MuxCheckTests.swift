import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia
import VTXSystem

@testable import VTXTranscode

@Suite("Verifying a muxed stream")
struct MuxCheckTests {
    private let directory: TemporaryDirectory
    private let input: String

    init() throws {
        directory = try TemporaryDirectory()
        input = directory.file("in.h264")
        try Files.write(try ByteStreamRecipe.h264.make().bytes, to: input)
    }

    private func plan(_ output: ElementaryStreamOutput, rate: Rational = Rational(25, 1)) throws -> MuxPlan {
        var job = MuxJob(input: input, output: output.path)
        job.frameRate = rate
        return try MuxPlan(job, .mkv, try ElementaryStreamScan(path: input, codec: .h264, output))
    }

    /// Muxes the stream, corrupts the file, and verifies it against this or another plan.
    private func failure(
        against rate: Rational = Rational(25, 1), spoiled: (AtomicFile) throws -> Void = { _ in }
    ) throws -> TranscodeError? {
        let output = ElementaryStreamOutput(
            path: directory.file("out.mkv"), input: input, overwrite: .refuse, cancellation: Cancellation())
        let (written, expected) = (try plan(output), try plan(output, rate: rate))
        var digest = ContentDigest()
        var spoiling: (any Error)?
        do throws(TranscodeError) {
            try output.write(
                { file throws(TranscodeError) in
                    var writer = try MuxWriter(written, file, output)
                    digest = try writer.write()
                    do { try spoiled(file) } catch { spoiling = error }
                },
                check: { file throws(TranscodeError) in try MuxCheck(expected, file, output).check(digest) })
        } catch {
            if let spoiling { throw spoiling }
            return error
        }
        return nil
    }

    @Test("finds nothing in a file that matches the plan")
    func nothing() throws {
        #expect(try failure() == nil)
        #expect(directory.names == ["in.h264", "out.mkv"])
    }

    @Test("finds one wrong bit, and removes the file")
    func wrongBit() throws {
        let error = try failure { file in
            var bytes = try Files.read(file.openedPath)
            bytes[bytes.count * 3 / 4] ^= 1
            try Files.write(bytes, to: file.openedPath)
        }
        #expect(error?.kind == .verificationUnits && error?.message.contains("NAL units are read") == true)
        #expect(directory.names == ["in.h264"])
    }

    @Test("an input that changes before the second read is an error, and leaves no output")
    func changedInput() throws {
        let output = ElementaryStreamOutput(
            path: directory.file("out.mkv"), input: input, overwrite: .refuse, cancellation: Cancellation())
        let plan = try plan(output)
        let bytes = try Files.read(input)
        try Files.write(Array(bytes.prefix(bytes.count / 2)), to: input)
        let error = #expect(throws: TranscodeError.self) {
            try output.write(
                { file throws(TranscodeError) in
                    var writer = try MuxWriter(plan, file, output)
                    _ = try writer.write()
                }, check: { _ throws(TranscodeError) in })
        }
        #expect(error?.kind == .inputChanged && directory.names == ["in.h264"])
    }

    @Test("finds frames at other times")
    func otherTimes() throws {
        let error = try failure(against: Rational(24, 1))
        #expect(error?.kind == .verificationUnits && error?.message.contains("a frame is at") == true)
        #expect(directory.names == ["in.h264"])
    }
}
