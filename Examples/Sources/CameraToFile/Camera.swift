import CVideo4Linux
import Glibc
import VTX

/// A camera that gives NV12 (V4L2, streaming with mapped buffers). One thread uses it.
final class Camera {
    struct Failure: Error { var call: String }

    let size: PixelSize
    private let bytesPerRow: Int
    private let color: ColorDescription
    private let descriptor: Int32
    private var buffers: [UnsafeMutableRawBufferPointer] = []

    /// - Parameter path: `/dev/video0`.
    /// - Throws: where there is no camera, or it does not give NV12.
    init(_ path: String, size wanted: PixelSize, fps: Int) throws {
        descriptor = open(path, O_RDWR)
        guard descriptor >= 0 else { throw Failure(call: "open \(path)") }
        var format = v4l2_format()
        format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        format.fmt.pix.width = UInt32(wanted.width)
        format.fmt.pix.height = UInt32(wanted.height)
        format.fmt.pix.pixelformat = v4l2_nv12
        try Self.request(descriptor, v4l2_set_format, &format, "VIDIOC_S_FMT")
        let picture = format.fmt.pix
        guard picture.pixelformat == v4l2_nv12 else { throw Failure(call: "\(path) gives no NV12") }
        size = PixelSize(Int(picture.width) & ~1, Int(picture.height) & ~1)
        bytesPerRow = Int(picture.bytesperline)
        // The camera says whether its samples use the full range.
        let isFull = picture.quantization == V4L2_QUANTIZATION_FULL_RANGE.rawValue
        color = ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: isFull)
        var parameters = v4l2_streamparm()
        parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        parameters.parm.capture.timeperframe = v4l2_fract(numerator: 1, denominator: UInt32(fps))
        _ = ioctl(descriptor, v4l2_set_parameters, &parameters)
        try mapBuffers()
    }

    deinit {
        for buffer in buffers { munmap(buffer.baseAddress, buffer.count) }
        close(descriptor)
    }

    private func mapBuffers() throws {
        var wanted = v4l2_requestbuffers()
        (wanted.count, wanted.type) = (4, V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue)
        wanted.memory = V4L2_MEMORY_MMAP.rawValue
        try Self.request(descriptor, v4l2_request_buffers, &wanted, "VIDIOC_REQBUFS")
        for index in 0..<wanted.count {
            var buffer = Self.emptyBuffer
            buffer.index = index
            try Self.request(descriptor, v4l2_query_buffer, &buffer, "VIDIOC_QUERYBUF")
            let memory = mmap(
                nil, Int(buffer.length), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, Int(buffer.m.offset))
            guard let memory, memory != MAP_FAILED else { throw Failure(call: "mmap") }
            buffers.append(UnsafeMutableRawBufferPointer(start: memory, count: Int(buffer.length)))
            try Self.request(descriptor, v4l2_queue_buffer, &buffer, "VIDIOC_QBUF")
        }
        var type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        try Self.request(descriptor, v4l2_stream_on, &type, "VIDIOC_STREAMON")
    }

    /// The next picture, and when the camera took it.
    func next() throws -> (PixelBuffer, MediaTime) {
        var buffer = Self.emptyBuffer
        try Self.request(descriptor, v4l2_dequeue_buffer, &buffer, "VIDIOC_DQBUF")
        let bytes = UnsafeRawBufferPointer(buffers[Int(buffer.index)]).bytes
        let picture = try PixelBuffer(
            bytes: bytes, size: size, format: .nv12, bytesPerRow: bytesPerRow, color: color)
        let time = Int64(buffer.timestamp.tv_sec) * 1_000_000 + Int64(buffer.timestamp.tv_usec)
        try Self.request(descriptor, v4l2_queue_buffer, &buffer, "VIDIOC_QBUF")
        return (picture, MediaTime(time, MediaTime.microseconds))
    }

    private static var emptyBuffer: v4l2_buffer {
        var buffer = v4l2_buffer()
        buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        buffer.memory = V4L2_MEMORY_MMAP.rawValue
        return buffer
    }

    private static func request<Value>(
        _ descriptor: Int32, _ number: UInt, _ value: inout Value, _ call: String
    ) throws {
        let status = withUnsafeMutableBytes(of: &value) { ioctl(descriptor, number, $0.baseAddress!) }
        guard status >= 0 else { throw Failure(call: call) }
    }
}
