import CFFmpeg
import VTXMedia

// libavutil numbers colors as H.273 does; range and chroma location are shifted by one for "unspecified".
extension ColorDescription {
    init(
        primaries: AVColorPrimaries, transfer: AVColorTransferCharacteristic, matrix: AVColorSpace,
        range: AVColorRange, location: AVChromaLocation
    ) {
        self.init(
            primaries: Self.code(primaries.rawValue), transfer: Self.code(transfer.rawValue),
            matrix: Self.code(matrix.rawValue, zeroIsValid: true),
            isFullRange: range == AVCOL_RANGE_UNSPECIFIED ? nil : range == AVCOL_RANGE_JPEG,
            chromaLocation: location == AVCHROMA_LOC_UNSPECIFIED ? nil : Int(location.rawValue) - 1)
    }

    /// 0 is reserved for primaries and transfer, and RGB for the matrix.
    private static func code(_ raw: UInt32, zeroIsValid: Bool = false) -> Int {
        raw == 0 && !zeroIsValid ? unspecifiedCode : Int(raw)
    }

    var avPrimaries: AVColorPrimaries { AVColorPrimaries(UInt32(clamping: primaries)) }
    var avTransfer: AVColorTransferCharacteristic { AVColorTransferCharacteristic(UInt32(clamping: transfer)) }
    var avMatrix: AVColorSpace { AVColorSpace(UInt32(clamping: matrix)) }

    var avRange: AVColorRange {
        isFullRange.map { $0 ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG } ?? AVCOL_RANGE_UNSPECIFIED
    }

    var avChromaLocation: AVChromaLocation {
        chromaLocation.map { AVChromaLocation(UInt32(clamping: $0 &+ 1)) } ?? AVCHROMA_LOC_UNSPECIFIED
    }
}
