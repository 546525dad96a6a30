/// The ADTS header before each AAC packet of a transport stream (ISO/IEC 13818-7, 6.2).
package struct ADTSHeader: Sendable, Hashable {
    package let configuration: AudioSpecificConfig
    /// In bytes: a checksum makes it longer.
    package let count: Int
    /// The number of AAC frames that follow, of which other containers store one in a packet.
    package let frameCount: Int

    /// nil for bytes without such a header, and for channel layouts that the header does not describe.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= 7, bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 else { return nil }
        configuration = AudioSpecificConfig(
            objectType: bytes[2] >> 6 + 1, frequencyIndex: bytes[2] >> 2 & 15,
            channelConfiguration: (bytes[2] & 1) << 2 | bytes[3] >> 6)
        count = bytes[1] & 1 == 1 ? 7 : 9
        frameCount = Int(bytes[6] & 3) + 1
        guard configuration.frequencyIndex < 13, configuration.channelConfiguration > 0 else { return nil }
    }
}
