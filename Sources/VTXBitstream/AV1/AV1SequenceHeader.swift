package import VTXMedia

/// `sequence_header_obu()` (AV1 5.5.1), parsed as far as the check of a stream and its colors require. All other bits
/// are kept unparsed.
package struct AV1SequenceHeader: Sendable, Hashable {
    package private(set) var profile = 0
    /// `max_frame_width_minus_1` and `max_frame_height_minus_1`, plus one: the size of every frame that declares no
    /// other.
    package private(set) var maxFrameSize = PixelSize(0, 0)
    /// `enable_order_hint`: frames are numbered, so no two in a row have the same bytes.
    package private(set) var hasOrderHints = false
    /// `reduced_still_picture_header`: frame headers have no type, and every frame is a key frame.
    package private(set) var isStillPicture = false
    /// `seq_level_idx` and `seq_tier` of the first operating point, which includes all layers.
    package private(set) var level = 0
    package private(set) var tier = 0
    /// The frame rate, in frames per second, if it is constant; nil if the stream does not declare it.
    package private(set) var frameRate: Rational?
    package var colorConfig = AV1ColorConfig()
    /// All bits before and after `color_config()`.
    private var before: [Bool] = []
    private var after: [Bool] = []

    /// - Parameter payload: The payload of a unit, without its header.
    package init(_ payload: RawSpan) throws(BitstreamError) {
        var reader = RecordingReader(try BitReader(rbsp: payload.copy(0..<payload.byteCount)))
        profile = try reader.f(3)
        guard profile <= 2 else { throw .invalid(element: "seq_profile", value: Int64(profile)) }
        try reader.skip(1)
        isStillPicture = try reader.flag()
        if isStillPicture { level = try reader.f(5) } else { try readOperatingPoints(&reader) }
        let (widthBits, heightBits) = (try reader.f(4) + 1, try reader.f(4) + 1)
        maxFrameSize = PixelSize(try reader.f(widthBits) + 1, try reader.f(heightBits) + 1)
        if !isStillPicture, try reader.flag() { try reader.skip(4 + 3) }
        // 128x128 superblocks, filter intra, the intra edge filter.
        try reader.skip(3)
        if !isStillPicture { hasOrderHints = try Self.readInterTools(&reader) }
        // Super-resolution, CDEF, loop restoration.
        try reader.skip(3)
        before = reader.bits
        reader.bits = []
        colorConfig = try AV1ColorConfig(profile, &reader)
        reader.bits = []
        // Film grain, and what later versions may add.
        try reader.skip(reader.remaining)
        after = reader.bits
    }

    private mutating func readOperatingPoints(_ reader: inout RecordingReader) throws(BitstreamError) {
        var delayBits = 0
        if try reader.flag() {
            frameRate = try Self.readFrameRate(&reader)
            if try reader.flag() {
                delayBits = try reader.f(5) + 1
                try reader.skip(32 + 5 + 5)
            }
        }
        let hasDisplayDelay = try reader.flag()
        for index in 0...(try reader.f(5)) {
            try reader.skip(12)
            let level = try reader.f(5)
            let tier = level > 7 ? try reader.f(1) : 0
            if index == 0 { (self.level, self.tier) = (level, tier) }
            if delayBits > 0, try reader.flag() { try reader.skip(2 * delayBits + 1) }
            if hasDisplayDelay, try reader.flag() { try reader.skip(4) }
        }
    }

    /// `timing_info()` (AV1 5.5.3).
    private static func readFrameRate(_ reader: inout RecordingReader) throws(BitstreamError) -> Rational? {
        let (tick, scale) = (try reader.f(32), try reader.f(32))
        guard try reader.flag() else { return nil }
        let ticks = try reader.uvlc() + 1
        let (length, overflows) = tick.multipliedReportingOverflow(by: ticks)
        return overflows || length == 0 || scale == 0 ? nil : Rational(scale, length)
    }

    /// - Returns: `enable_order_hint`.
    private static func readInterTools(_ reader: inout RecordingReader) throws(BitstreamError) -> Bool {
        // Interintra and masked compound, warped motion, dual filter.
        try reader.skip(4)
        let hasOrderHints = try reader.flag()
        if hasOrderHints { try reader.skip(2) }
        // seq_choose_screen_content_tools leaves them to each frame.
        let mayHaveScreenTools = try reader.flag() ? true : try reader.flag()
        if mayHaveScreenTools, try !reader.flag() { try reader.skip(1) }
        if hasOrderHints { try reader.skip(3) }
        return hasOrderHints
    }

    /// The complete unit, with its header and size.
    package var unit: [UInt8] {
        var writer = BitWriter()
        for bit in before { writer.flag(bit) }
        colorConfig.write(profile, to: &writer)
        for bit in after { writer.flag(bit) }
        writer.trailingBits()
        return OpenBitstreamUnit.write(.sequenceHeader, writer.bytes)
    }
}

extension AV1SequenceHeader {
    /// AV1 A.2.
    package var profileName: String { ["Main", "High", "Professional"][profile] }

    /// AV1 A.3: 2.0 to 7.3.
    package var levelName: String { level == 31 ? "unlimited" : "\(2 + (level >> 2)).\(level & 3)" }

    /// The color description, with the chroma location as H.264's type.
    package var color: ColorDescription {
        var color = colorConfig.color
        color.chromaLocation =
            colorConfig.chromaSamplePosition == 1 ? 0 : colorConfig.chromaSamplePosition == 2 ? 2 : nil
        return color
    }
}

/// `color_config()` (AV1 5.5.2).
package struct AV1ColorConfig: Sendable, Hashable {
    package private(set) var bitDepth = 8
    package private(set) var chroma = ChromaSampling.yuv420
    /// Primaries, transfer, matrix and range. AV1 has its own numbers for the chroma location.
    package var color = ColorDescription.unspecified
    /// `chroma_sample_position`: 1 is vertical (H.264's left), 2 is colocated, 0 is unspecified. Present in 4:2:0 only.
    package var chromaSamplePosition = 0
    private var hasSeparateUVDeltaQ = false
    /// Whether the colors are sRGB, which implies range and sampling.
    private var isSRGB: Bool { (color.primaries, color.transfer, color.matrix) == (1, 13, 0) && chroma != .monochrome }

    init() {}

    fileprivate init(_ profile: Int, _ reader: inout RecordingReader) throws(BitstreamError) {
        let isDeep = try reader.flag()
        let isTwelve = profile == 2 && isDeep ? try reader.flag() : false
        bitDepth = isTwelve ? 12 : isDeep ? 10 : 8
        if profile != 1, try reader.flag() { chroma = .monochrome }
        if try reader.flag() {
            (color.primaries, color.transfer, color.matrix) = (try reader.f(8), try reader.f(8), try reader.f(8))
        }
        if isSRGB {
            (color.isFullRange, chroma) = (true, .yuv444)
        } else {
            color.isFullRange = try reader.flag()
            if chroma != .monochrome { try readSampling(profile, &reader) }
        }
        if chroma != .monochrome { hasSeparateUVDeltaQ = try reader.flag() }
    }

    private mutating func readSampling(_ profile: Int, _ reader: inout RecordingReader) throws(BitstreamError) {
        if profile == 1 {
            chroma = .yuv444
        } else if profile == 2, bitDepth < 12 {
            chroma = .yuv422
        } else if profile == 2 {
            let isHalfWide = try reader.flag()
            let isHalfHigh = isHalfWide ? try reader.flag() : false
            chroma = isHalfHigh ? .yuv420 : isHalfWide ? .yuv422 : .yuv444
        }
        if chroma == .yuv420 { chromaSamplePosition = try reader.f(2) }
    }

    fileprivate func write(_ profile: Int, to writer: inout BitWriter) {
        writer.flag(bitDepth > 8)
        if profile == 2, bitDepth > 8 { writer.flag(bitDepth == 12) }
        if profile != 1 { writer.flag(chroma == .monochrome) }
        let codes = [color.primaries, color.transfer, color.matrix]
        let isDescribed = codes.contains { $0 != ColorDescription.unspecifiedCode }
        writer.flag(isDescribed)
        if isDescribed { for code in codes { writer.u(8, UInt64(truncatingIfNeeded: code)) } }
        if !isSRGB {
            writer.flag(color.isFullRange ?? false)
            if profile == 2, bitDepth == 12, chroma != .monochrome {
                writer.flag(chroma != .yuv444)
                if chroma != .yuv444 { writer.flag(chroma == .yuv420) }
            }
            if chroma == .yuv420 { writer.u(2, UInt64(truncatingIfNeeded: chromaSamplePosition)) }
        }
        if chroma != .monochrome { writer.flag(hasSeparateUVDeltaQ) }
    }
}

extension AV1ColorConfig {
    /// Returns a copy with the fields that `color` specifies. Unspecified fields stay unchanged.
    ///
    /// - Throws: if the bitstream cannot express the value.
    package func completed(by wanted: ColorDescription) throws(CompletionError) -> AV1ColorConfig {
        var config = self
        let filled = wanted.filled(from: color)
        let codes = [filled.primaries, filled.transfer, filled.matrix]
        // Identity is RGB, and needs as much chroma as luma (6.4.2).
        guard codes.allSatisfy((0...255).contains), filled.matrix != 0 || chroma == .yuv444 else {
            throw .color(wanted)
        }
        config.color = ColorDescription(
            primaries: codes[0], transfer: codes[1], matrix: codes[2], isFullRange: filled.isFullRange)
        if chroma == .yuv420, let location = wanted.chromaLocation {
            // H.264's types 0 (left) and 2 (top left); AV1 has no number for the others.
            config.chromaSamplePosition = location == 0 ? 1 : location == 2 ? 2 : 0
        }
        return config
    }
}

/// Reads bits and records them.
private struct RecordingReader {
    private var reader: BitReader
    var bits: [Bool] = []

    init(_ reader: BitReader) { self.reader = reader }

    var remaining: Int { reader.remaining }

    mutating func flag() throws(BitstreamError) -> Bool {
        let bit = try reader.flag()
        bits.append(bit)
        return bit
    }

    /// `f(n)`.
    mutating func f(_ count: Int) throws(BitstreamError) -> Int {
        var value = 0
        for _ in 0..<count { value = value << 1 | (try flag() ? 1 : 0) }
        return value
    }

    mutating func skip(_ count: Int) throws(BitstreamError) {
        for _ in 0..<count { _ = try flag() }
    }

    /// `uvlc()` (AV1 4.10.3).
    mutating func uvlc() throws(BitstreamError) -> Int {
        var zeros = 0
        while try !flag() { zeros += 1 }
        return zeros < 32 ? (1 << zeros) - 1 + (try f(zeros)) : Int(UInt32.max)
    }
}
