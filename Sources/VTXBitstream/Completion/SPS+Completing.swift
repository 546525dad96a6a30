package import VTXMedia

extension H264SPS {
    /// The set with what its encoder did not write: drivers without packed headers (radeonsi's) know neither color
    /// nor cropping. What is nil or unspecified stays as it is.
    ///
    /// - Parameters:
    ///   - displaySize: what is to be shown, from the top left of the coded picture.
    ///   - frameRate: of frames; a stream of fields has twice as many pictures.
    /// - Throws: `CompletionError` for what cannot be right.
    package func completing(
        displaySize: PixelSize? = nil, sampleAspectRatio: Rational? = nil, color: ColorDescription = .unspecified,
        frameRate: Rational? = nil
    ) throws(CompletionError) -> Completed<H264SPS> {
        var new = self
        if let displaySize, displaySize != self.displaySize {
            let offsets = try CroppingOffsets(coded: codedSize, wanted: displaySize, unit: cropUnit)
            new.cropping = offsets.isZero ? nil : offsets
        }
        var vui = self.vui ?? H264VUI()
        try vui.complete(sampleAspectRatio: sampleAspectRatio)
        try vui.complete(color: color, chroma: chroma)
        try vui.complete(frameRate: frameRate, present: self.frameRate)
        if vui != H264VUI() { new.vui = vui }
        return Completed(value: new, changes: new.changes(from: self))
    }
}

extension H264VUI {
    fileprivate mutating func complete(frameRate: Rational?, present: Rational?) throws(CompletionError) {
        guard let rate = frameRate, rate.reduced != present else { return }
        guard nalHRD == nil && vclHRD == nil else { throw .timingIsBoundToHRD(present: present, wanted: rate) }
        let limit = Int(UInt32.max)
        guard rate.isPositive, rate.reduced.numerator <= limit / 2, rate.reduced.denominator <= limit else {
            throw .frameRate(rate)
        }
        var timing = timing ?? H264TimingInfo()
        (timing.timeScale, timing.numUnitsInTick) = (rate.reduced.numerator * 2, rate.reduced.denominator)
        self.timing = timing
    }
}

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
