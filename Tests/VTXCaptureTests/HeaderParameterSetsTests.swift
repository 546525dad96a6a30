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
        let complete = try packets.map { Array(try header.complete($0).bytes) }
        for (packet, bytes) in zip(packets, complete) {
            let isOther = packet.isKeyFrame && packet.parameters.extradata != packets[0].parameters.extradata
            #expect(bytes == (isOther ? packet.parameters.extradata : []) + Array(packet.packet.bytes))
        }
        #expect(complete.last == Array(try #require(packets.last).packet.bytes))
    }
}
