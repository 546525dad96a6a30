package import VTXMedia

extension HEVCSPS {
    /// The set with what its encoder did not write, as for H.264; the conformance window does the cropping.
    ///
    /// A VPS that holds a timing is not touched; it would have to say the same (H.265 E.3.1).
    package func completing(
        displaySize: PixelSize? = nil, sampleAspectRatio: Rational? = nil, color: ColorDescription = .unspecified,
        frameRate: Rational? = nil
    ) throws(CompletionError) -> Completed<HEVCSPS> {
        var new = self
        if let displaySize, displaySize != self.displaySize {
            let offsets = try CroppingOffsets(coded: codedSize, wanted: displaySize, unit: cropUnit)
            new.format.conformanceWindow = offsets.isZero ? nil : offsets
        }
        var vui = self.vui ?? HEVCVUI()
        try vui.complete(sampleAspectRatio: sampleAspectRatio)
        try vui.complete(color: color, chroma: chroma)
        try vui.complete(frameRate: frameRate, present: self.frameRate)
        if vui != HEVCVUI() { new.vui = vui }
        return Completed(value: new, changes: new.changes(from: self))
    }
}

extension HEVCVUI {
    fileprivate mutating func complete(frameRate: Rational?, present: Rational?) throws(CompletionError) {
        guard let rate = frameRate, rate.reduced != present else { return }
        guard hrd == nil else { throw .timingIsBoundToHRD(present: present, wanted: rate) }
        let ticks = isFieldSequence ? 2 : 1
        let limit = Int(UInt32.max)
        guard rate.isPositive, rate.reduced.numerator <= limit / ticks, rate.reduced.denominator <= limit else {
            throw .frameRate(rate)
        }
        var timing = timing ?? HEVCTimingInfo()
        (timing.timeScale, timing.numUnitsInTick) = (rate.reduced.numerator * ticks, rate.reduced.denominator)
        self.timing = timing
    }
}
