import VTXBitstream
import VTXMedia

extension FormatDescription {
    /// The same with a VUI that says this frame rate. An encoder whose unit of time is finer than a frame takes it for
    /// the rate, and a byte stream has nothing else to tell how fast it is to be shown.
    ///
    /// - Throws: `.badData` where the SPS cannot be read, or cannot hold the rate.
    func declaring(frameRate: Rational) throws(SessionError) -> FormatDescription {
        guard codec == .h264, let declared = self.frameRate, declared.value != frameRate.value else { return self }
        do {
            var sets = parameterSets
            for (index, set) in sets.enumerated() {
                guard NALUnit(codec: codec, range: set.indices, in: set.span.bytes).isSPS else { continue }
                var sps = try H264SPS(nalUnit: set)
                // A frame has two ticks (H.264 E.2.1).
                sps.vui?.timing?.numUnitsInTick = frameRate.denominator
                sps.vui?.timing?.timeScale = frameRate.numerator * 2
                sets[index] = try sps.nalUnit()
            }
            return try FormatDescription(codec: codec, parameterSets: sets, lengthSize: lengthSize)
        } catch let error as SessionError {
            throw error
        } catch {
            throw SessionError(.badData, "the SPS cannot say \(frameRate) frames a second: \(error)")
        }
    }
}
