import CFFmpeg
import CVTXShims
import VTXMedia

extension Rational {
    init(_ value: AVRational) { self.init(Int(value.num), Int(value.den)) }

    /// libav's form; a fraction that does not fit in 32 bits is approximated (C: `av_reduce`).
    var avRational: AVRational {
        var result = AVRational(num: 0, den: 1)
        av_reduce(&result.num, &result.den, Int64(numerator), Int64(denominator), Int64(Int32.max))
        return result
    }
}

/// A timestamp of libav, where the lowest 64-bit number means "none" (C: `AV_NOPTS_VALUE`).
///
/// Damaged files hold any number; what lies beyond 2^61 ticks is no time either, so that sums and differences of two
/// timestamps cannot overflow.
func timestamp(_ raw: Int64) -> Int64? { (-timestampLimit...timestampLimit).contains(raw) ? raw : nil }

/// A duration: 0 where it is not known, or cannot be one.
func duration(_ raw: Int64) -> Int64 { (0...timestampLimit).contains(raw) ? raw : 0 }

private let timestampLimit: Int64 = 1 << 61

func rawTimestamp(_ value: Int64?) -> Int64 { value ?? vtx_no_timestamp }
