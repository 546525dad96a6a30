import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("Packets before the header")
struct MuxerSinkTests {
    /// Writes audio packets of a kilobyte without opening the video, until the sink fails.
    private func packetsHeld(byteLimit: Int) throws -> (count: Int, error: TranscodeError?) {
        let clip = try SourceClip(frames: 1)
        let plan = try clip.plan().plan
        let sink = try MuxerSink(
            plan, path: clip.directory.file("out.mkv"), damage: InputErrorReport(), byteLimit: byteLimit)
        for count in 0..<100 {
            let packet = try Packet(
                bytes: [UInt8](repeating: 0, count: 1024), pts: Int64(count), dts: Int64(count), duration: 1,
                timeBase: Rational(1, 1000))
            do { try sink.write(packet, to: 1) } catch { return (count, error as? TranscodeError) }
        }
        return (100, nil)
    }

    @Test("are limited")
    func bound() throws {
        let (count, error) = try packetsHeld(byteLimit: 10 << 10)
        #expect(count == 10 && error?.category == .input && error?.code == "input.noPicture")
    }

    /// Opens the video with some parameter sets, then with others; the audio is never opened.
    private func open(repeats: Bool, _ pathExtension: String) throws -> MuxerSink {
        let clip = try SourceClip(frames: 1)
        let plan = try clip.plan(to: "out.\(pathExtension)").plan
        let sink = try MuxerSink(
            plan, path: clip.directory.file("out.\(pathExtension)"), damage: InputErrorReport(),
            repeatsParameterSets: repeats)
        for sets in [[0, 0, 0, 1, 0x67, 1], [0, 0, 0, 1, 0x67, 2]] as [[UInt8]] {
            let size = PixelSize(64, 48)
            let parameters = try CodecParameters(video: .h264, size: size, extradata: sets)
            try sink.open(0, OutputStreamDescription(parameters: parameters, timeBase: Rational(1, 25)))
        }
        return sink
    }

    @Test("of an encoder with other parameter sets need in-band sets")
    func parameterSets() throws {
        #expect(throws: SeamChange.parameterSets) { _ = try open(repeats: false, "mkv") }
        _ = try open(repeats: true, "mkv")
        _ = try open(repeats: false, "ts")
    }

    @Test("are held while an encoder starts")
    func byteLimit() throws {
        let (count, error) = try packetsHeld(byteLimit: 100 << 10)
        #expect(count == 100 && error == nil)
    }
}
