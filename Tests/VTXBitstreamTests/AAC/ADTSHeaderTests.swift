import Testing
import VTXBitstream

@Suite("ADTS headers")
struct ADTSHeaderTests {
    private func config(_ bytes: [UInt8]) -> [UInt8]? {
        ADTSHeader(bytes)?.configuration.bytes
    }

    @Test("has the parameters that a container stores once")
    func content() {
        // AAC LC, 44.1 kHz, stereo; 48 kHz, 5.1, without a checksum.
        #expect(config([0xFF, 0xF1, 0x50, 0x80, 0x02, 0x1F, 0xFC]) == [0x12, 0x10])
        #expect(config([0xFF, 0xF9, 0x4D, 0x80, 0x02, 0x1F, 0xFC]) == [0x11, 0xB0])
    }

    @Test("AAC LC of a sample rate and a channel count has the same configuration")
    func ofParameters() {
        #expect(AudioSpecificConfig(sampleRate: 44_100, channelCount: 2)?.bytes == [0x12, 0x10])
        #expect(AudioSpecificConfig(sampleRate: 48_000, channelCount: 6)?.bytes == [0x11, 0xB0])
        #expect(AudioSpecificConfig(sampleRate: 44_000, channelCount: 2) == nil)
        #expect(AudioSpecificConfig(sampleRate: 48_000, channelCount: 7) == nil, "6.1 has no index of its own")
    }

    @Test("is distinguished from other bytes")
    func others() {
        #expect(config([0xFF, 0xF1, 0x50]) == nil && config([0x21, 0x00, 0x49, 0x90, 0x02, 0x19, 0x00]) == nil)
        #expect(config([0xFF, 0xFB, 0x50, 0x80, 0x02, 0x1F, 0xFC]) == nil, "MP3")
        #expect(config([0xFF, 0xF1, 0x50, 0x00, 0x02, 0x1F, 0xFC]) == nil, "channels of a program element")
    }
}
