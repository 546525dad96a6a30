import CV4L2
import Glibc
import VTXMedia
import VTXSystem
import VTXTask

/// A safe wrapper around a Video4Linux2 node: each request is a method, and buffers are unmapped in deinit.
///
/// Unchecked: one thread at a time calls it.
final class V4L2Device: @unchecked Sendable {
    let path: String
    private let descriptor: FileDescriptor
    private var buffers: [UnsafeMutableRawBufferPointer] = []

    init(_ path: String) throws(SystemError) {
        self.path = path
        descriptor = try FileDescriptor(opening: path, O_RDWR | O_NONBLOCK)
    }

    deinit {
        if !buffers.isEmpty {
            var type = Self.type
            _ = v4l2_call(descriptor.number, v4l2_stream_off, &type)
        }
        for buffer in buffers { munmap(buffer.baseAddress, buffer.count) }
    }

    private static let type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue

    private func call<Value>(_ request: UInt, _ name: String, _ value: inout Value) throws(SystemError) {
        let status = withUnsafeMutableBytes(of: &value) { v4l2_call(descriptor.number, request, $0.baseAddress) }
        guard status >= 0 else { throw SystemError("\(name) '\(path)'", errno) }
    }

    /// - Returns: the answer; nil if the request has no more answers (`EINVAL`), or fails.
    private func answer<Value>(_ request: UInt, _ value: Value) -> Value? {
        var value = value
        do throws(SystemError) { try call(request, "ioctl", &value) } catch { return nil }
        return value
    }
}

// MARK: Capabilities

extension V4L2Device {
    struct Capabilities: Sendable, Hashable {
        var name: String
        var bus: String
        /// Whether it captures video into mapped memory, in a single memory plane.
        var isCamera: Bool
    }

    func capabilities() throws(SystemError) -> Capabilities {
        var answer = v4l2_capability()
        try call(v4l2_query_capabilities, "VIDIOC_QUERYCAP", &answer)
        let hasOwn = answer.capabilities & v4l2_has_device_capabilities != 0
        let flags = hasOwn ? answer.device_caps : answer.capabilities
        return Capabilities(
            name: Self.text(answer.card), bus: Self.text(answer.bus_info),
            isCamera: flags & v4l2_captures != 0 && flags & v4l2_streams != 0)
    }

    /// Returns the supported formats with their sizes and frame rates.
    func formats() -> [CameraFormat] {
        var formats: [CameraFormat] = []
        while formats.count < 64 {
            var wanted = v4l2_fmtdesc()
            (wanted.index, wanted.type) = (UInt32(formats.count), Self.type)
            guard let found = answer(v4l2_enumerate_formats, wanted) else { break }
            formats.append(
                CameraFormat(
                    fourCC: CameraPixelFormat.text(found.pixelformat),
                    isSupported: CameraPixelFormat(fourCC: found.pixelformat) != nil, modes: modes(found.pixelformat)))
        }
        return formats
    }

    private func modes(_ format: UInt32) -> [CameraMode] {
        var modes: [CameraMode] = []
        while modes.count < 256 {
            var wanted = v4l2_frmsizeenum()
            (wanted.index, wanted.pixel_format) = (UInt32(modes.count), format)
            guard let found = answer(v4l2_enumerate_sizes, wanted) else { break }
            guard found.type != V4L2_FRMSIZE_TYPE_DISCRETE.rawValue else {
                let size = PixelSize(Int(found.discrete.width), Int(found.discrete.height))
                modes.append(CameraMode(size: size, frameRates: frameRates(format, size)))
                continue
            }
            let range = found.stepwise
            let largest = PixelSize(Int(range.max_width), Int(range.max_height))
            let rates = frameRates(format, largest)
            return [
                CameraMode(
                    size: PixelSize(Int(range.min_width), Int(range.min_height)), maxSize: largest, frameRates: rates)
            ]
        }
        return modes
    }

    private func frameRates(_ format: UInt32, _ size: PixelSize) -> [Rational] {
        var rates: [Rational] = []
        while rates.count < 64 {
            var wanted = v4l2_frmivalenum()
            (wanted.index, wanted.pixel_format) = (UInt32(rates.count), format)
            (wanted.width, wanted.height) = (UInt32(clamping: size.width), UInt32(clamping: size.height))
            guard let found = answer(v4l2_enumerate_intervals, wanted) else { break }
            guard found.type != V4L2_FRMIVAL_TYPE_DISCRETE.rawValue else {
                rates.append(Rational(interval: found.discrete))
                continue
            }
            return [found.stepwise.min, found.stepwise.max].map(Rational.init(interval:)).filter(\.isPositive)
        }
        return rates.filter(\.isPositive).sorted { $0.value > $1.value }
    }

    private static func text<Tuple>(_ characters: Tuple) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

// MARK: Capturing

extension V4L2Device {
    /// The format that the driver chose for a requested one.
    struct PictureFormat: Sendable, Hashable {
        var format: CameraPixelFormat?
        var size: PixelSize
        var bytesPerRow: Int
        var color: ColorDescription
    }

    func setFormat(_ format: CameraPixelFormat, _ size: PixelSize) throws(SystemError) -> PictureFormat {
        var wanted = v4l2_format()
        wanted.type = Self.type
        wanted.fmt.pix.width = UInt32(clamping: size.width)
        wanted.fmt.pix.height = UInt32(clamping: size.height)
        wanted.fmt.pix.pixelformat = format.fourCC
        wanted.fmt.pix.field = V4L2_FIELD_NONE.rawValue
        try call(v4l2_set_format, "VIDIOC_S_FMT", &wanted)
        let picture = wanted.fmt.pix
        return PictureFormat(
            format: CameraPixelFormat(fourCC: picture.pixelformat),
            size: PixelSize(Int(picture.width), Int(picture.height)), bytesPerRow: Int(picture.bytesperline),
            color: ColorDescription(
                colorspace: picture.colorspace, transfer: picture.xfer_func, matrix: picture.ycbcr_enc,
                quantization: picture.quantization))
    }

    /// - Returns: the frame rate that the camera chose; nil if it does not report one.
    func setFrameRate(_ rate: Rational) -> Rational? {
        var wanted = v4l2_streamparm()
        wanted.type = Self.type
        wanted.parm.capture.timeperframe = v4l2_fract(
            numerator: UInt32(clamping: rate.denominator), denominator: UInt32(clamping: rate.numerator))
        guard let taken = answer(v4l2_set_parameters, wanted) else { return nil }
        let found = Rational(interval: taken.parm.capture.timeperframe)
        return found.isPositive ? found : nil
    }

    /// Maps buffers and starts streaming.
    func start(bufferCount: UInt32 = 4) throws(SystemError) {
        var wanted = v4l2_requestbuffers()
        (wanted.count, wanted.type, wanted.memory) = (bufferCount, Self.type, V4L2_MEMORY_MMAP.rawValue)
        try call(v4l2_request_buffers, "VIDIOC_REQBUFS", &wanted)
        for index in 0..<wanted.count { try map(index) }
        var type = Self.type
        try call(v4l2_stream_on, "VIDIOC_STREAMON", &type)
    }

    private func map(_ index: UInt32) throws(SystemError) {
        var buffer = Self.emptyBuffer
        buffer.index = index
        try call(v4l2_query_buffer, "VIDIOC_QUERYBUF", &buffer)
        let length = Int(buffer.length)
        let memory = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.number, Int(buffer.m.offset))
        guard let memory, memory != MAP_FAILED else { throw SystemError("mmap '\(path)'", errno) }
        buffers.append(UnsafeMutableRawBufferPointer(start: memory, count: length))
        try call(v4l2_queue_buffer, "VIDIOC_QBUF", &buffer)
    }

    private static var emptyBuffer: v4l2_buffer {
        var buffer = v4l2_buffer()
        (buffer.type, buffer.memory) = (type, V4L2_MEMORY_MMAP.rawValue)
        return buffer
    }

    /// The properties of a filled buffer.
    struct Filled: Sendable, Hashable {
        var sequence: UInt32
        /// The time on the monotonic clock; nil if the driver uses another one.
        var time: MediaTime?
        /// Whether the driver reports damage.
        var isDamaged: Bool
    }

    /// Calls `body` with the next frame, then returns its buffer to the camera.
    ///
    /// - Returns: the result of `body`; nil if no frame arrives in this time.
    func next<Result>(
        within seconds: Double, _ body: (RawSpan, Filled) -> Result
    ) throws(SystemError) -> Result? {
        _ = Poll.has(.readable(descriptor.number), within: seconds)
        var buffer = Self.emptyBuffer
        do throws(SystemError) { try call(v4l2_dequeue_buffer, "VIDIOC_DQBUF", &buffer) } catch {
            guard error.code == EAGAIN else { throw error }
            return nil
        }
        guard buffers.indices.contains(Int(buffer.index)) else { throw SystemError("VIDIOC_DQBUF '\(path)'", EIO) }
        let memory = buffers[Int(buffer.index)]
        let used = buffer.bytesused > 0 ? min(Int(buffer.bytesused), memory.count) : memory.count
        let result = body(UnsafeRawBufferPointer(rebasing: memory[..<used]).bytes, Filled(buffer))
        try call(v4l2_queue_buffer, "VIDIOC_QBUF", &buffer)
        return result
    }
}

extension V4L2Device.Filled {
    fileprivate init(_ buffer: v4l2_buffer) {
        let microseconds = Int64(buffer.timestamp.tv_sec) * 1_000_000 + Int64(buffer.timestamp.tv_usec)
        let isMonotonic = buffer.flags & v4l2_buffer_clock_mask == v4l2_buffer_clock_monotonic
        self.init(
            sequence: buffer.sequence,
            time: isMonotonic && microseconds > 0 ? MediaTime(microseconds, MediaTime.microseconds) : nil,
            isDamaged: buffer.flags & v4l2_buffer_has_error != 0)
    }
}

extension Rational {
    /// Converts an interval to frames per second; not positive for an invalid interval.
    fileprivate init(interval: v4l2_fract) { self.init(Int(interval.denominator), Int(max(1, interval.numerator))) }
}
