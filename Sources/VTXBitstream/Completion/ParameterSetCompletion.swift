package import VTXMedia

/// Completes the SPS of whole packets and of containers' headers; every other byte stays as it is.
package struct ParameterSetCompletion: Sendable, Hashable {
    package var codec: VideoCodec
    package var displaySize: PixelSize?
    package var sampleAspectRatio: Rational?
    package var color: ColorDescription
    package var frameRate: Rational?

    package init(
        codec: VideoCodec, displaySize: PixelSize? = nil, sampleAspectRatio: Rational? = nil,
        color: ColorDescription = .unspecified, frameRate: Rational? = nil
    ) {
        self.codec = codec
        self.displaySize = displaySize
        self.sampleAspectRatio = sampleAspectRatio
        self.color = color
        self.frameRate = frameRate
    }

    /// An SPS NAL unit, without start code. One that needs no change comes back with the very bytes it had.
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

    /// A packet with start codes; nil where nothing has to change, so that nothing has to be copied.
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
    /// The same change of a repeated set is told once.
    mutating func add(_ more: [ParameterSetChange]) {
        for change in more where !changes.contains(change) { changes.append(change) }
    }
}
