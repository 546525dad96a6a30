/// `VAConfigAttribValEncHEVCFeatures`: two bits for each coding tool.
package struct HEVCFeatures: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// What an encoder lets the application choose.
    package enum Support: UInt32, Sendable, Hashable {
        case no = 0
        case optional = 1
        case required = 3
    }

    /// Tools in the order of their bits.
    package enum Tool: UInt32, Sendable, Hashable, CaseIterable {
        case separateColourPlanes
        case scalingLists
        case amp
        case sao
        case pcm
        case temporalMVP
        case strongIntraSmoothing
        case dependentSlices
        case signDataHiding
        case constrainedIntraPrediction
        case transformSkip
        case cuQPDelta
        case weightedPrediction
        case transquantBypass
        case deblockingFilterDisable
    }

    /// Nil for the value that va.h does not define.
    package subscript(tool: Tool) -> Support? { Support(rawValue: rawValue >> (tool.rawValue * 2) & 3) }
}

/// `VAConfigAttribValEncHEVCBlockSizes`; the numbers here are samples, not logarithms.
package struct HEVCBlockSizes: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    private func bits(_ shift: UInt32) -> Int { Int(rawValue >> shift & 3) }

    package var maxCodingTreeBlock: Int { 8 << bits(0) }
    package var minCodingTreeBlock: Int { 8 << bits(2) }
    package var minLumaCodingBlock: Int { 8 << bits(4) }
    package var maxLumaTransformBlock: Int { 4 << bits(6) }
    package var minLumaTransformBlock: Int { 4 << bits(8) }
    package var maxTransformDepthInter: Int { bits(10) }
    package var minTransformDepthInter: Int { bits(12) }
    package var maxTransformDepthIntra: Int { bits(14) }
    package var minTransformDepthIntra: Int { bits(16) }
    package var maxPCMCodingBlock: Int { 8 << bits(18) }
    package var minPCMCodingBlock: Int { 8 << bits(20) }
}
