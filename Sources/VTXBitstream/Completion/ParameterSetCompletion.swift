package import VTXMedia

/// Adds missing information to the SPS in packets and container headers. All other bytes stay unchanged.
package struct ParameterSetCompletion: Sendable, Hashable {
    package var codec: NALCodec
    package var displaySize: PixelSize?
    package var sampleAspectRatio: Rational?
    package var color: ColorDescription
    package var frameRate: Rational?

    package init(
        codec: NALCodec, displaySize: PixelSize? = nil, sampleAspectRatio: Rational? = nil,
        color: ColorDescription = .unspecified, frameRate: Rational? = nil
    ) {
        self.codec = codec
        self.displaySize = displaySize
        self.sampleAspectRatio = sampleAspectRatio
        self.color = color
        self.frameRate = frameRate
    }

    /// Completes an SPS NAL unit without start code. If nothing has to change, its bytes are returned as they are.
    package func completing(sps unit: RawSpan) throws(CompletionError) -> Completed<[UInt8]> {
        do {
            let (set, changes) = try completedUnit(unit)
            return Completed(value: changes.isEmpty ? unit.copy(0..<unit.byteCount) : set, changes: changes)
        } catch let error as CompletionError {
            throw error
        } catch let error as BitstreamError {
            throw .bitstream(error)
        } catch {
            // Nothing else is thrown above.
            throw .bitstream(.truncated)
        }
    }

    private func completedUnit(_ unit: RawSpan) throws -> ([UInt8], [ParameterSetChange]) {
        switch codec {
        case .h264:
            let new = try H264SPS(nalUnit: unit).completing(
                displaySize: displaySize, sampleAspectRatio: sampleAspectRatio, color: color, frameRate: frameRate)
            return (try new.value.nalUnit(), new.changes)
        case .hevc:
            let new = try HEVCSPS(nalUnit: unit).completing(
                displaySize: displaySize, sampleAspectRatio: sampleAspectRatio, color: color, frameRate: frameRate)
            return (try new.value.nalUnit(), new.changes)
        }
    }

    /// Completes a packet with start codes; nil if nothing has to change, so that nothing is copied.
    package func completing(annexB packet: RawSpan) throws(CompletionError) -> Completed<[UInt8]>? {
        var result = Completed<[UInt8]>(value: [], changes: [])
        var copied = 0
        for unit in AnnexB.units(in: packet, codec: codec) where unit.isSPS {
            let completed = try completing(sps: packet.extracting(unit.range))
            guard !completed.changes.isEmpty else { continue }
            result.value.append(packet, copied..<unit.range.lowerBound)
            result.value += completed.value
            copied = unit.range.upperBound
            result.add(completed.changes)
        }
        guard copied > 0 else { return nil }
        result.value.append(packet, copied..<packet.byteCount)
        return result
    }
}

extension Completed {
    /// Records changes, once if a set is repeated.
    mutating func add(_ more: [ParameterSetChange]) {
        for change in more where !changes.contains(change) { changes.append(change) }
    }
}

extension ParameterSetCompletion {
    /// Completes a container header: start codes, an `avcC` or an `hvcC` record; nil if nothing has to change.
    package func completing(extradata: [UInt8]) throws(CompletionError) -> Completed<[UInt8]>? {
        if AnnexB.beginsWithStartCode(extradata.span.bytes) { return try completing(annexB: extradata.span.bytes) }
        return codec == .h264 ? try completing(avcC: extradata) : try completing(hvcC: extradata)
    }

    private func completing(avcC bytes: [UInt8]) throws(CompletionError) -> Completed<[UInt8]>? {
        var record = try bitstream { () throws(BitstreamError) in try AVCDecoderConfigurationRecord(bytes) }
        let changes = try complete(&record.spss)
        return changes.isEmpty
            ? nil
            : Completed(value: try bitstream { () throws(BitstreamError) in try record.bytes() }, changes: changes)
    }

    private func completing(hvcC bytes: [UInt8]) throws(CompletionError) -> Completed<[UInt8]>? {
        var record = try bitstream { () throws(BitstreamError) in try HEVCDecoderConfigurationRecord(bytes) }
        var changes: [ParameterSetChange] = []
        for index in record.arrays.indices where record.arrays[index].type == .sps {
            changes += try complete(&record.arrays[index].units)
        }
        return changes.isEmpty
            ? nil
            : Completed(value: try bitstream { () throws(BitstreamError) in try record.bytes() }, changes: changes)
    }

    private func complete(_ units: inout [[UInt8]]) throws(CompletionError) -> [ParameterSetChange] {
        var result = Completed<[UInt8]>(value: [], changes: [])
        for index in units.indices {
            let unit = units[index]
            let completed = try completing(sps: unit.span.bytes)
            units[index] = completed.value
            result.add(completed.changes)
        }
        return result.changes
    }
}

/// Converts a bitstream error to a completion error.
func bitstream<Value>(_ body: () throws(BitstreamError) -> Value) throws(CompletionError) -> Value {
    do { return try body() } catch { throw .bitstream(error) }
}

/// Why a parameter set cannot be completed.
package enum CompletionError: Error, Sendable, Hashable {
    case bitstream(BitstreamError)
    /// The display size exceeds the coded size.
    case displaySizeExceedsCodedSize(wanted: PixelSize, coded: PixelSize)
    /// The cropping is not a multiple of the codec's cropping unit.
    case displaySizeNotInCropUnits(wanted: PixelSize, coded: PixelSize, unit: PixelSize)
    /// Neither in Table E-1 nor a ratio of 16-bit numbers.
    case sampleAspectRatio(Rational)
    /// Not positive, or too large for 32 bits.
    case frameRate(Rational)
    /// The buffering periods are counted in ticks, which another time base would invalidate.
    case timingIsBoundToHRD(present: Rational?, wanted: Rational)
    /// Not a code point of H.273, or RGB in a stream with subsampled chroma.
    case color(ColorDescription)
}

/// A change made by a completion: an element's value before and after, as text.
package struct ParameterSetChange: Sendable, Hashable, CustomStringConvertible {
    package var element: String
    package var before: String
    package var after: String

    package var description: String { "\(element): \(before) -> \(after)" }
}

/// A completed value and its changes; none if it was already complete.
package struct Completed<Value: Sendable>: Sendable {
    package var value: Value
    package var changes: [ParameterSetChange]
}

extension H264SPS {
    /// Returns the set with information that its encoder omitted: drivers without packed headers (radeonsi) write
    /// neither colors nor cropping. Values that are nil or unspecified stay unchanged.
    ///
    /// - Parameters:
    ///   - displaySize: The size to show, from the top left of the coded picture.
    ///   - frameRate: The rate of frames; a stream of fields has twice as many pictures.
    /// - Throws: `CompletionError` for invalid values.
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
    /// Returns the set with information that its encoder omitted, as for H.264. The conformance window does the
    /// cropping.
    ///
    /// A VPS with timing information is not changed; it would have to match (H.265 E.3.1).
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
