package import VTXMedia

// The attributes in words, each by the layout that va.h gives it. Nil or empty means that the driver does not say.
extension DriverCapabilities.Row {
    package var rtFormats: RTFormat { RTFormat(rawValue: attributes[.rtFormat] ?? 0) }

    package var rateControlModes: RateControlModes { RateControlModes(rawValue: attributes[.rateControl] ?? 0) }

    package var packedHeaders: PackedHeaders { PackedHeaders(rawValue: attributes[.encPackedHeaders] ?? 0) }

    /// References in list 0 and list 1; no entries in list 1 means no B frames.
    package var maxReferences: (list0: Int, list1: Int)? {
        attributes[.encMaxRefFrames].map { (Int($0 & 0xffff), Int($0 >> 16)) }
    }

    package var predictionDirections: PredictionDirections {
        PredictionDirections(rawValue: attributes[.predictionDirection] ?? 0)
    }

    /// Quality levels: 1 is the best, this number the fastest; nil where there is only one.
    package var qualityLevels: Int? {
        attributes[.encQualityRange].map { Int($0) }.flatMap { $0 > 1 ? $0 : nil }
    }

    package var maxSlices: Int? { attributes[.encMaxSlices].map { Int($0) } }

    package var maxPictureSize: PixelSize? {
        guard let width = attributes[.maxPictureWidth], let height = attributes[.maxPictureHeight],
            width > 0, height > 0
        else { return nil }
        return PixelSize(Int(width), Int(height))
    }

    package var hevcFeatures: HEVCFeatures? { attributes[.encHEVCFeatures].map { HEVCFeatures(rawValue: $0) } }

    package var hevcBlockSizes: HEVCBlockSizes? {
        attributes[.encHEVCBlockSizes].map { HEVCBlockSizes(rawValue: $0) }
    }
}
