import CFFmpeg
import CVTXShims
import Dispatch
import Glibc
import VTXMedia

/// Owns an `AVCodecContext`: allocated for a codec and freed once, even if configuring or opening it fails.
final class CodecContext {
    let pointer: UnsafeMutablePointer<AVCodecContext>
    let codec: UnsafePointer<AVCodec>
    /// An object that the context points to, kept alive as long as the context.
    var companion: AnyObject?
    private var isAlone = false

    private init(_ codec: UnsafePointer<AVCodec>) throws(FFmpegError) {
        pointer = try require(avcodec_alloc_context3(codec), "avcodec_alloc_context3")
        self.codec = codec
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = pointer
        avcodec_free_context(&pointer)
        if isAlone { Self.alone.signal() }
    }

    /// Creates a context to decode a stream with its container's parameters.
    ///
    /// - Parameter onGPU: Whether to choose a decoder with a VA-API hwaccel; the default one may have none (libdav1d).
    convenience init(decoding stream: InputStream, onGPU: Bool = false) throws(FFmpegError) {
        let parameters = stream.parameters.pointer
        let id = parameters.pointee.codec_id
        guard let codec = onGPU ? acceleratedDecoder(id) : avcodec_find_decoder(id) else {
            throw FFmpegError("avcodec_find_decoder", vtx_error_decoder_not_found)
        }
        try self.init(codec)
        try check(avcodec_parameters_to_context(pointer, parameters), "avcodec_parameters_to_context")
        pointer.pointee.pkt_timebase = stream.timeBase.avRational
    }

    /// Creates a context to encode. The name is libavcodec's, for example `libx264`.
    convenience init(encoder name: String) throws(FFmpegError) {
        guard let codec = avcodec_find_encoder_by_name(name) else {
            throw FFmpegError("avcodec_find_encoder_by_name(\(name))", vtx_error_encoder_not_found)
        }
        try self.init(codec)
    }

    /// - Returns: the names of options that neither libavcodec nor the codec recognized.
    @discardableResult
    func open(_ options: [(String, String)] = [], openTimeout: Double? = nil) throws(FFmpegError) -> [String] {
        try waitToBeAlone(for: openTimeout)
        return try withDictionary(options) { dictionary throws(FFmpegError) in
            try check(vtx_codec_open(pointer, codec, dictionary), "avcodec_open2")
        }.unused
    }

    /// Waits until the process has no other SVT-AV1 encoder: two at once crash the process or deadlock (SVT-AV1 1.4).
    private func waitToBeAlone(for seconds: Double?) throws(FFmpegError) {
        guard !isAlone, isSVTAV1 else { return }
        guard Self.alone.wait(timeout: seconds.map { .now() + $0 } ?? .distantFuture) == .success else {
            throw FFmpegError("SVT-AV1, which a process can open only once at a time", -EBUSY)
        }
        isAlone = true
    }

    var isSVTAV1: Bool { String(cString: codec.pointee.name) == "libsvtav1" }

    private static let alone = DispatchSemaphore(value: 1)
}

/// Returns the first decoder with a VA-API hwaccel.
private func acceleratedDecoder(_ id: AVCodecID) -> UnsafePointer<AVCodec>? {
    var position: UnsafeMutableRawPointer?
    while let codec = av_codec_iterate(&position) {
        if av_codec_is_decoder(codec) != 0, codec.pointee.id == id, codec.isAccelerated { return codec }
    }
    return nil
}

extension UnsafePointer<AVCodec> {
    fileprivate var isAccelerated: Bool {
        var index: Int32 = 0
        while let configuration = avcodec_get_hw_config(self, index) {
            if configuration.pointee.device_type == AV_HWDEVICE_TYPE_VAAPI { return true }
            index += 1
        }
        return false
    }
}

/// The result of asking a codec or a filter for its next output.
///
/// libav's `EAGAIN` and `EOF` are values here; they never leave this module as errors.
package enum CodecOutput<Unit> {
    case unit(Unit)
    /// More input is required.
    case needsInput
    /// All output has been received.
    case endOfStream
}

extension CodecOutput: Sendable where Unit: Sendable {}

/// Calls `body` with the entries as an `AVDictionary`, and returns the entries that libav did not use.
///
/// - Returns: the names of the unrecognized entries.
func withDictionary<Result>(
    _ entries: [(String, String)], _ body: (UnsafeMutablePointer<OpaquePointer?>) throws(FFmpegError) -> Result
) throws(FFmpegError) -> (result: Result, unused: [String]) {
    var dictionary: OpaquePointer?
    defer { av_dict_free(&dictionary) }
    for (key, value) in entries { av_dict_set(&dictionary, key, value, 0) }
    let result = try body(&dictionary)
    return (result, readDictionary(dictionary).map(\.key))
}

/// Returns the entries of a dictionary, in order.
func readDictionary(_ dictionary: OpaquePointer?) -> [MetadataEntry] {
    var entries: [MetadataEntry] = []
    var entry: UnsafeMutablePointer<AVDictionaryEntry>?
    while let next = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
        entries.append(
            MetadataEntry(String(cString: next.pointee.key), String(cString: next.pointee.value)))
        entry = next
    }
    return entries
}

/// Replaces a dictionary's contents.
func writeDictionary(_ dictionary: inout OpaquePointer?, _ entries: [MetadataEntry]) {
    av_dict_free(&dictionary)
    for entry in entries { av_dict_set(&dictionary, entry.key, entry.value, 0) }
}

/// An empty unit for a codec's next output. It is reused as long as no output arrives, because every other call returns
/// none.
struct SpareUnit<Unit> {
    private var unit: Unit?

    /// Returns the unit, allocating one if necessary.
    mutating func get(_ make: () throws(FFmpegError) -> Unit) throws(FFmpegError) -> Unit {
        if let unit { return unit }
        let made = try make()
        unit = made
        return made
    }

    /// Gives up the unit after it has been filled.
    mutating func giveAway() { unit = nil }
}
