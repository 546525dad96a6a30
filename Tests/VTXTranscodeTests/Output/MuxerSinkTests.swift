import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("Packets that wait for the header")
struct MuxerSinkTests {
    /// Writes packets of a kilobyte of audio, with the video never opened, until the sink has enough of it.
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

    @Test("are not held without end")
    func bound() throws {
        let (count, error) = try packetsHeld(byteLimit: 10 << 10)
        #expect(count == 10 && error?.category == .input && error?.code == "input.noPicture")
    }

    @Test("are held as long as an encoder takes")
    func byteLimit() throws {
        let (count, error) = try packetsHeld(byteLimit: 100 << 10)
        #expect(count == 100 && error == nil)
    }
}
