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
