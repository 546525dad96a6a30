import CFFmpeg
import VTXMedia

extension MasteringDisplay {
    private static let chromaticityUnit = 50_000

    /// Reads an `AVMasteringDisplayMetadata`; nil when either half of it is not filled in, or holds what no display can
    /// mean. Damaged files do, and encoders refuse to write it.
    init?(bytes: UnsafePointer<UInt8>) {
        let source = UnsafeRawPointer(bytes).loadUnaligned(as: AVMasteringDisplayMetadata.self)
        guard source.has_primaries != 0, source.has_luminance != 0 else { return nil }
        func chromaticity(_ pair: (AVRational, AVRational)) -> Chromaticity {
            Chromaticity(
                pair.0.scaled(by: Self.chromaticityUnit), pair.1.scaled(by: Self.chromaticityUnit))
        }
        let primaries = source.display_primaries
        self.init(
            red: chromaticity(primaries.0), green: chromaticity(primaries.1), blue: chromaticity(primaries.2),
            white: chromaticity(source.white_point),
            minLuminance: source.min_luminance.scaled(by: Self.luminanceUnit),
            maxLuminance: source.max_luminance.scaled(by: Self.luminanceUnit))
        guard isExpressible else { return nil }
    }

    var avMetadata: AVMasteringDisplayMetadata {
        func pair(_ point: Chromaticity) -> (AVRational, AVRational) {
            (
                AVRational(num: Int32(clamping: point.x), den: Int32(Self.chromaticityUnit)),
                AVRational(num: Int32(clamping: point.y), den: Int32(Self.chromaticityUnit))
            )
        }
        var result = AVMasteringDisplayMetadata()
        result.display_primaries = (pair(red), pair(green), pair(blue))
        result.white_point = pair(white)
        result.min_luminance = AVRational(num: Int32(clamping: minLuminance), den: Int32(Self.luminanceUnit))
        result.max_luminance = AVRational(num: Int32(clamping: maxLuminance), den: Int32(Self.luminanceUnit))
        result.has_primaries = 1
        result.has_luminance = 1
        return result
    }
}

extension ContentLightLevel {
    /// Reads an `AVContentLightMetadata`; nil when it holds more than any light.
    init?(bytes: UnsafePointer<UInt8>) {
        let source = UnsafeRawPointer(bytes).loadUnaligned(as: AVContentLightMetadata.self)
        self.init(maxContent: Int(source.MaxCLL), maxFrameAverage: Int(source.MaxFALL))
        guard isExpressible else { return nil }
    }

    var avMetadata: AVContentLightMetadata {
        AVContentLightMetadata(MaxCLL: UInt32(clamping: maxContent), MaxFALL: UInt32(clamping: maxFrameAverage))
    }
}

extension DisplayMatrix {
    /// Reads libavutil's nine 32-bit numbers.
    init(bytes: UnsafePointer<UInt8>) {
        let source = UnsafeRawPointer(bytes)
        self.init((0..<9).map { source.loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self) })
    }
}

extension AVRational {
    /// The value in steps of 1/`unit`, rounded.
    fileprivate func scaled(by unit: Int) -> Int {
        den == 0 ? 0 : Int((Double(num) / Double(den) * Double(unit)).rounded())
    }
}
