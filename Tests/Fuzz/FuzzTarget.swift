import VTXBitstream
import VTXMedia

/// libFuzzer's entry point: the first byte selects the parser, the rest is its input.
///
/// A failure is a crash, a trap, an out-of-bounds access or an endless loop; parse errors are valid results.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: data + 1, count: count - 1))
    switch data.pointee % 9 {
    case 0: rewrite(bytes, H264SPS.self)
    case 1: rewritePPS(bytes)
    case 2: rewrite(bytes, HEVCVPS.self)
    case 3: rewrite(bytes, HEVCSPS.self)
    case 4: rewrite(bytes, HEVCPPS.self)
    case 5: split(bytes, .h264)
    case 6: split(bytes, .hevc)
    case 7: readRecords(bytes)
    default: readTemporalUnit(bytes)
    }
    return 0
}

/// Whatever can be read can be written, and is identical.
private func rewrite<Set: ParameterSet>(_ bytes: [UInt8], _ type: Set.Type) {
    guard let set = try? Set(nalUnit: bytes) else { return }
    guard let unit = try? set.nalUnit(), let again = try? Set(nalUnit: unit), again == set else {
        fatalError("a set that was read is not written as it was")
    }
    if let set = set as? H264SPS { describe(set) }
    if let set = set as? HEVCSPS { describe(set) }
    for codec in NALCodec.allCases { complete(bytes, codec) }
}

private func describe(_ set: some SequenceParameterSet) {
    guard set.displaySize.width >= 0, set.displaySize.height >= 0, set.maxReorder >= 0 else { fatalError("negative") }
    _ = (set.profileName, set.levelName, set.frameRate, set.sampleAspectRatio, set.color, set.profile)
}

private func complete(_ bytes: [UInt8], _ codec: NALCodec) {
    let color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: true, chromaLocation: 2)
    let completion = ParameterSetCompletion(
        codec: codec, displaySize: PixelSize(64, 64), sampleAspectRatio: Rational(5, 7), color: color,
        frameRate: Rational(24, 1))
    _ = try? completion.completing(sps: bytes.span.bytes)
    _ = try? completion.completing(annexB: bytes.span.bytes)
    _ = try? completion.completing(extradata: bytes)
}

private func rewritePPS(_ bytes: [UInt8]) {
    for idc in [1, 3] {
        guard let set = try? H264PPS(nalUnit: bytes.span.bytes, chromaFormatIDC: idc) else { continue }
        guard let unit = try? set.nalUnit() else { fatalError("a PPS that was read is not written") }
        guard (try? H264PPS(nalUnit: unit.span.bytes, chromaFormatIDC: idc)) == set else { fatalError("another PPS") }
    }
}

/// The access units do not depend on the chunks.
private func split(_ bytes: [UInt8], _ codec: NALCodec) {
    var (whole, parts) = (AccessUnitSplitter(codec: codec), AccessUnitSplitter(codec: codec))
    guard let units = try? whole.append(bytes.span.bytes) else { return }
    var others: [AccessUnit] = []
    for begin in stride(from: 0, to: bytes.count, by: 7) {
        let chunk = bytes.span.bytes.extracting(begin..<min(bytes.count, begin + 7))
        others += (try? parts.append(chunk)) ?? []
    }
    guard units + whole.finish() == others + parts.finish() else { fatalError("chunks matter") }
    compareReaders(bytes, codec)
    readSlices(bytes, codec, whole.boundary)
    for unit in AnnexB.units(in: bytes.span.bytes, codec: codec) where unit.isSEI {
        let messages = try? SEIMessage.messages(in: bytes.span.bytes.extracting(unit.range), codec: codec)
        for message in messages ?? [] {
            _ = (message.masteringDisplay, message.contentLightLevel, message.recoveryPoint(codec), message.type)
            _ = (message.userDataRegistered, message.userDataUnregistered)
        }
    }
}

/// A buffer and a stream of chunks give the same NAL units.
private func compareReaders(_ bytes: [UInt8], _ codec: NALCodec) {
    var (reader, found) = (ByteStreamReader(), [Range<Int>]())
    func add(_ unit: ByteStreamReader.Unit) { found.append(Int(unit.offset)..<Int(unit.offset + unit.size)) }
    for begin in stride(from: 0, to: bytes.count, by: 5) {
        reader.append(bytes.span.bytes.extracting(begin..<min(bytes.count, begin + 5)), add)
    }
    reader.finish(add)
    let units = AnnexB.units(in: bytes.span.bytes, codec: codec)
    guard found == units.map(\.range) else { fatalError("chunks have other units") }
    _ = (ByteStreamCodec.announced(in: bytes.span.bytes), ByteStreamCodec.guessed(from: bytes.span.bytes))
}

/// With all parameter sets of the stream, including those after a slice.
private func readSlices(_ bytes: [UInt8], _ codec: NALCodec, _ boundary: AccessUnitBoundary) {
    for unit in AnnexB.units(in: bytes.span.bytes, codec: codec) where unit.isVCL {
        let slice = bytes.span.bytes.extracting(unit.range)
        if codec == .h264 {
            _ = try? H264SliceHeader(slice, boundary.h264)
        } else {
            _ = try? HEVCSliceSegmentHeader(slice, boundary.hevc)
        }
    }
}

private func readRecords(_ bytes: [UInt8]) {
    if let record = try? AVCDecoderConfigurationRecord(bytes) { _ = try? record.bytes() }
    if let record = try? HEVCDecoderConfigurationRecord(bytes) { _ = try? record.bytes() }
    for size in [1, 2, 4] {
        guard let format = try? LengthPrefixed(lengthSize: size) else { continue }
        for codec in NALCodec.allCases { convert(bytes, format, codec) }
    }
}

/// Length-prefixed data converted to a byte stream stays the same after another round trip.
private func convert(_ bytes: [UInt8], _ format: LengthPrefixed, _ codec: NALCodec) {
    guard let units = try? format.units(in: bytes.span.bytes, codec: codec) else { return }
    let clean = units.flatMap { AnnexB.units(within: $0, of: bytes.span.bytes) }
    let stream = AnnexB.write(clean, of: bytes.span.bytes)
    let again = AnnexB.units(in: stream.span.bytes, codec: codec)
    guard again.map({ Array(stream[$0.range]) }) == clean.map({ Array(bytes[$0.range]) }) else {
        fatalError("a byte stream has other units than its source")
    }
    guard units.isEmpty || (try? format.write(units, of: bytes.span.bytes)) != nil else { fatalError("lengths") }
}

private func readTemporalUnit(_ bytes: [UInt8]) {
    splitTemporalUnits(bytes)
    guard let units = try? OpenBitstreamUnit.units(in: bytes.span.bytes) else { return }
    for unit in units {
        let payload = bytes.span.bytes.extracting(unit.payload)
        if unit.type.hasFrameHeader { _ = (try? AV1FrameStart(payload))?.isShownKeyFrame }
        if unit.type == .sequenceHeader { rewriteSequenceHeader(payload) }
    }
}

/// The temporal units do not depend on the chunks.
private func splitTemporalUnits(_ bytes: [UInt8]) {
    var (whole, parts) = (TemporalUnitSplitter(), TemporalUnitSplitter())
    let units = whole.append(bytes.span.bytes)
    var others: [TemporalUnitSplitter.Output] = []
    for begin in stride(from: 0, to: bytes.count, by: 7) {
        others += parts.append(bytes.span.bytes.extracting(begin..<min(bytes.count, begin + 7)))
    }
    guard units + whole.finish() == others + parts.finish() else { fatalError("chunks matter") }
}

/// Whatever can be read can be written, and is identical, with other colors too.
private func rewriteSequenceHeader(_ payload: RawSpan) {
    guard var header = try? AV1SequenceHeader(payload) else { return }
    guard sequenceHeader(in: header.unit) == header else { fatalError("another header") }
    let color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: true, chromaLocation: 2)
    guard let config = try? header.colorConfig.completed(by: color) else { return }
    header.colorConfig = config
    guard sequenceHeader(in: header.unit) != nil else { fatalError("other colors cannot be read") }
}

private func sequenceHeader(in unit: [UInt8]) -> AV1SequenceHeader? {
    guard let place = try? OpenBitstreamUnit.units(in: unit.span.bytes).first else { return nil }
    return try? AV1SequenceHeader(unit.span.bytes.extracting(place.payload))
}
