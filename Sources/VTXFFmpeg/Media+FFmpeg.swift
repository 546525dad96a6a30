import CFFmpeg
import CVTXShims
package import VTXMedia
import VTXSystem

extension PixelFormat {
    init(_ format: AVPixelFormat) {
        let index = Int(format.rawValue)
        self = Self.known.indices.contains(index) ? Self.known[index] : PixelFormat(describing: format)
    }

    /// A cache, because the format is read for every frame and names are slow to create.
    private static let known = (0..<AV_PIX_FMT_NB.rawValue).map { PixelFormat(describing: AVPixelFormat($0)) }

    private init(describing format: AVPixelFormat) {
        guard let descriptor = av_pix_fmt_desc_get(format)?.pointee else {
            self.init(name: "none", chroma: .yuv420, bitDepth: 0)
            return
        }
        let flags = descriptor.flags
        self.init(
            name: String(cString: descriptor.name),
            chroma: Self.chroma(descriptor),
            bitDepth: Int(descriptor.comp.0.depth),
            isRGB: flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0,
            hasAlpha: flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0,
            impliesFullRange: format.withoutFullRange != nil)
    }

    private static func chroma(_ descriptor: AVPixFmtDescriptor) -> ChromaSampling {
        if descriptor.nb_components < 3 { return .monochrome }
        switch (descriptor.log2_chroma_w, descriptor.log2_chroma_h) {
        case (1, 1): return .yuv420
        case (1, 0): return .yuv422
        case (0, 0): return .yuv444
        // H.264 and HEVC have no 4:1:1, 4:1:0 or 4:4:0, which become 4:2:0.
        default: return .yuv420
        }
    }

    /// Creates the format with this name; nil if unknown to libavutil.
    package init?(named name: String) {
        let format = av_get_pix_fmt(name)
        guard format != AV_PIX_FMT_NONE else { return nil }
        self.init(format)
    }

    var avFormat: AVPixelFormat { av_get_pix_fmt(name) }
}

extension AVPixelFormat {
    /// The equivalent format that does not imply full range; nil if the format does not imply it.
    var withoutFullRange: AVPixelFormat? {
        switch self {
        case AV_PIX_FMT_YUVJ420P: AV_PIX_FMT_YUV420P
        case AV_PIX_FMT_YUVJ422P: AV_PIX_FMT_YUV422P
        case AV_PIX_FMT_YUVJ444P: AV_PIX_FMT_YUV444P
        case AV_PIX_FMT_YUVJ440P: AV_PIX_FMT_YUV440P
        case AV_PIX_FMT_YUVJ411P: AV_PIX_FMT_YUV411P
        default: nil
        }
    }
}

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

    /// 0 is reserved for primaries and transfer; for the matrix it means RGB.
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

extension MasteringDisplay {
    private static let chromaticityUnit = 50_000

    /// Creates the metadata from an `AVMasteringDisplayMetadata`; nil if either half is missing or no display can have
    /// its values. Damaged files contain such values, and encoders refuse them.
    init?(bytes: UnsafePointer<UInt8>) {
        let source = UnsafeRawPointer(bytes).loadUnaligned(as: AVMasteringDisplayMetadata.self)
        guard source.has_primaries != 0, source.has_luminance != 0 else { return nil }
        func chromaticity(_ pair: (AVRational, AVRational)) -> Chromaticity {
            Chromaticity(
                pair.0.scaled(by: Self.chromaticityUnit), pair.1.scaled(by: Self.chromaticityUnit))
        }
        let primaries = source.display_primaries
        self.init(
            red: chromaticity(primaries.0), green: chromaticity(primaries.1), blue: chromaticity(primaries.2),
            white: chromaticity(source.white_point),
            minLuminance: source.min_luminance.scaled(by: Self.luminanceUnit),
            maxLuminance: source.max_luminance.scaled(by: Self.luminanceUnit))
        guard isExpressible else { return nil }
    }

    var avMetadata: AVMasteringDisplayMetadata {
        func pair(_ point: Chromaticity) -> (AVRational, AVRational) {
            (
                AVRational(num: Int32(clamping: point.x), den: Int32(Self.chromaticityUnit)),
                AVRational(num: Int32(clamping: point.y), den: Int32(Self.chromaticityUnit))
            )
        }
        var result = AVMasteringDisplayMetadata()
        result.display_primaries = (pair(red), pair(green), pair(blue))
        result.white_point = pair(white)
        result.min_luminance = AVRational(num: Int32(clamping: minLuminance), den: Int32(Self.luminanceUnit))
        result.max_luminance = AVRational(num: Int32(clamping: maxLuminance), den: Int32(Self.luminanceUnit))
        result.has_primaries = 1
        result.has_luminance = 1
        return result
    }
}

extension ContentLightLevel {
    /// Creates the metadata from an `AVContentLightMetadata`; nil for impossible values.
    init?(bytes: UnsafePointer<UInt8>) {
        let source = UnsafeRawPointer(bytes).loadUnaligned(as: AVContentLightMetadata.self)
        self.init(maxContent: Int(source.MaxCLL), maxFrameAverage: Int(source.MaxFALL))
        guard isExpressible else { return nil }
    }

    var avMetadata: AVContentLightMetadata {
        AVContentLightMetadata(MaxCLL: UInt32(clamping: maxContent), MaxFALL: UInt32(clamping: maxFrameAverage))
    }
}

extension DisplayMatrix {
    /// Creates the matrix from libavutil's nine 32-bit numbers.
    init(bytes: UnsafePointer<UInt8>) {
        let source = UnsafeRawPointer(bytes)
        self.init((0..<9).map { source.loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self) })
    }
}

extension AVRational {
    /// Returns the value in units of 1/`unit`, rounded.
    fileprivate func scaled(by unit: Int) -> Int {
        den == 0 ? 0 : Int((Double(num) / Double(den) * Double(unit)).rounded())
    }
}

extension Rational {
    init(_ value: AVRational) { self.init(Int(value.num), Int(value.den)) }

    /// Converts to libav's type. A fraction that does not fit in 32 bits is approximated (C: `av_reduce`).
    var avRational: AVRational {
        var result = AVRational(num: 0, den: 1)
        av_reduce(&result.num, &result.den, Int64(numerator), Int64(denominator), Int64(Int32.max))
        return result
    }
}

/// Converts a libav timestamp. The lowest 64-bit number means none (C: `AV_NOPTS_VALUE`).
///
/// Damaged files contain any number. Timestamps beyond 2^61 ticks count as none, so that sums and differences of two
/// cannot overflow.
func timestamp(_ raw: Int64) -> Int64? { (-timestampLimit...timestampLimit).contains(raw) ? raw : nil }

/// Converts a duration: 0 if unknown or impossible.
func duration(_ raw: Int64) -> Int64 { (0...timestampLimit).contains(raw) ? raw : 0 }

private let timestampLimit: Int64 = 1 << 61

func rawTimestamp(_ value: Int64?) -> Int64 { value ?? vtx_no_timestamp }

extension DisplayMatrix.Orientation {
    /// libavfilter's filters for this orientation.
    package var filters: [String] {
        switch self {
        case .upright: []
        case .rotated90: ["transpose=clock"]
        case .rotated180: ["hflip", "vflip"]
        case .rotated270: ["transpose=cclock"]
        case .mirrored: ["hflip"]
        case .mirroredRotated90: ["transpose=clock_flip"]
        case .mirroredRotated180: ["vflip"]
        case .mirroredRotated270: ["transpose=cclock_flip"]
        }
    }
}

extension Chapter {
    /// Returns a new chapter, allocated with `av_mallocz` for the context that frees it.
    func avChapter() throws(FFmpegError) -> UnsafeMutablePointer<AVChapter> {
        guard let memory = av_mallocz(MemoryLayout<AVChapter>.size) else { throw FFmpegError("av_mallocz", -ENOMEM) }
        let entry = memory.bindMemory(to: AVChapter.self, capacity: 1)
        entry.pointee.id = id
        entry.pointee.time_base = start.timeBase.avRational
        entry.pointee.start = start.ticks
        entry.pointee.end = end.rescaled(to: start.timeBase).ticks
        writeDictionary(&entry.pointee.metadata, metadata)
        return entry
    }
}

extension Container {
    /// The name of libavformat's muxer.
    package var muxerName: String {
        switch self {
        case .mp4: "mp4"
        case .mov: "mov"
        case .mkv: "matroska"
        case .webm: "webm"
        case .ts: "mpegts"
        case .h264: "h264"
        case .h265: "hevc"
        }
    }

    /// Returns the option that selects MPEG-TS packets of 192 bytes, each with its arrival time (BDAV, AVCHD).
    /// libavformat decides by the file's name, which differs while a file is written.
    ///
    /// - Parameter path: The final path of the file.
    package static func packetOption(for path: String) -> (String, String) {
        let isBluRay = ["m2ts", "mts"].contains(FileName.split(path).pathExtension.lowercased())
        return ("mpegts_m2ts_mode", isBluRay ? "1" : "0")
    }
}
