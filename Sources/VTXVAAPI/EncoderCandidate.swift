import VTXLibVA
import VTXMedia
import VTXSession

/// One way to open an encoder: an entrypoint of the driver's, with a way to hold the rate.
struct EncoderCandidate {
    var row: DriverCapabilities.Row
    var rate: RateControlChoice

    var mode: EncodingMode { EncodingMode(entrypoint: "\(row.entrypoint)", rateControl: rate.mode.rawValue) }
}

extension DriverCapabilities {
    /// In the order in which they are to be tried: another rate control costs less than the other entrypoint.
    func ways(to encode: EncoderConfiguration) -> [EncoderCandidate] {
        let rows = encode.profile.vaProfile.map(encodingRows) ?? []
        return rows.flatMap { row in
            RateControlChoice.candidates(for: encode, listed: row.rateControlModes).map {
                EncoderCandidate(row: row, rate: $0)
            }
        }
    }
}
