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

/// AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1), which containers other than transport streams store once.
package struct AudioSpecificConfig: Sendable, Hashable {
    /// `audioObjectType`, below 31: 2 is AAC LC.
    package let objectType: UInt8
    /// `samplingFrequencyIndex`
    package let frequencyIndex: UInt8
    /// `channelConfiguration`
    package let channelConfiguration: UInt8

    /// `samplingFrequencyIndex` (1.6.3.4).
    private static let sampleRates = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]

    package init(objectType: UInt8, frequencyIndex: UInt8, channelConfiguration: UInt8) {
        self.objectType = objectType
        self.frequencyIndex = frequencyIndex
        self.channelConfiguration = channelConfiguration
    }

    /// The configuration of AAC LC; nil for sample rates and channel counts without an index.
    package init?(sampleRate: Int, channelCount: Int) {
        guard let index = Self.sampleRates.firstIndex(of: sampleRate),
            let channels: UInt8 = [1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 8: 7][channelCount]
        else { return nil }
        self.init(objectType: 2, frequencyIndex: UInt8(index), channelConfiguration: channels)
    }

    package var bytes: [UInt8] {
        [objectType << 3 | frequencyIndex >> 1, frequencyIndex << 7 | channelConfiguration << 3]
    }
}
