import Testing
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

@testable import VTXCapture

@Suite("Parameter sets of an encoder that takes over")
struct HeaderParameterSetsTests {
    private let packets: [CapturePacket]

    init() throws { packets = try packetsOfTwoEncoders(VideoRecipe { $0.frameCount = 5 }, .h264) }

    @Test("FLV gets another header")
    func flv() throws {
        let bytes = WrittenFLV()
        try bytes.mux(packets)
        // AVCPacketType 0 is a sequence header.
        let headers = bytes.videoTags.filter { $0[1] == 0 }
        #expect(headers.count == 2 && headers[0] != headers[1])
        #expect(bytes.videoTags.filter { $0[1] == 1 }.count == packets.count)
    }

    @Test("elsewhere its key frames bring the sets", arguments: ["rtsp", "mp4"])
    func others(muxerName: String) throws {
        let header = HeaderParameterSets(for: packets[0], in: muxerName)
        for packet in packets {
            let complete = try header.complete(packet)
            let isOther = packet.isKeyFrame && packet.parameters.extradata != packets[0].parameters.extradata
            #expect(Array(complete.bytes) == (isOther ? packet.parameters.extradata : []) + Array(packet.packet.bytes))
        }
    }
}
