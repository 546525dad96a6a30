import Glibc
import VTXFFmpeg
package import VTXMedia
import VTXSystem
package import VTXTask

/// A Video4Linux2 camera that is recorded with the nearest size, frame rate and format, into mapped memory.
///
/// Unchecked: one thread at a time calls it.
package final class Camera: CaptureSource, @unchecked Sendable {
    package let format: CaptureFormat
    private let device: V4L2Device
    /// nil for compressed formats.
    private let layout: CameraPictureLayout?
    private let pool: PicturePool?
    private var lastSequence: UInt32?

    /// Opens and configures a camera.
    package init(_ path: String, size: PixelSize, frameRate: Rational) throws(TranscodeError) {
        do throws(SystemError) {
            device = try V4L2Device(path)
            guard try device.capabilities().isCamera else { throw SystemError("VIDIOC_QUERYCAP '\(path)'", ENODEV) }
        } catch { throw .opening(path, error) }
        guard let choice = CameraModeChoice.nearest(to: size, frameRate, of: device.formats()) else {
            throw .noFormat(of: device)
        }
        let picture: V4L2Device.PictureFormat
        do throws(SystemError) { picture = try device.setFormat(choice.format, choice.size) } catch {
            throw .opening(path, error)
        }
        // A driver may choose another format than one it has listed.
        guard let taken = picture.format else { throw .noFormat(of: device) }
        let rate = device.setFrameRate(choice.frameRate) ?? choice.frameRate
        format = CaptureFormat(
            name: taken.rawValue, size: picture.size, frameRate: rate, color: picture.color.asJPEG(taken.isJPEG),
            codecName: taken.codecName)
        layout = taken.pixelFormat.map {
            CameraPictureLayout($0, size: picture.size, bytesPerRow: picture.bytesPerRow)
        }
        pool = try taken.pixelFormat.map { format throws(TranscodeError) in try Self.pool(picture.size, format) }
    }

    private static func pool(_ size: PixelSize, _ format: PixelFormat) throws(TranscodeError) -> PicturePool {
        do throws(FFmpegError) { return try PicturePool(size: size, pixelFormat: format) } catch {
            throw TranscodeError(.system, "no memory for pictures of \(size): \(error)")
        }
    }

    package func start() throws(TranscodeError) {
        do throws(SystemError) { try device.start() } catch { throw .opening(device.path, error) }
    }

    package func next(within seconds: Double) throws(TranscodeError) -> CapturedPicture? {
        do throws(SystemError) {
            return try device.next(within: seconds) { bytes, filled in picture(bytes, filled) }
        } catch { throw .lost(device.path, error) }
    }

    private func picture(_ bytes: RawSpan, _ filled: V4L2Device.Filled) -> CapturedPicture {
        let time = filled.time ?? MediaTime(seconds: MonotonicClock.seconds)
        defer { lastSequence = filled.sequence }
        // Drivers that do not count always report 0.
        let step = lastSequence.map { filled.sequence &- $0 } ?? 1
        let content = filled.isDamaged ? nil : try? content(bytes, time)
        return CapturedPicture(
            content ?? .damaged, time: time, missingCount: (1..<1 << 16).contains(step) ? Int(step) - 1 : 0)
    }

    private func content(_ bytes: RawSpan, _ time: MediaTime) throws(FFmpegError) -> CapturedPicture.Content {
        guard let layout, let pool else {
            return .coded(
                try Packet(
                    copying: bytes, pts: time.ticks, dts: time.ticks, duration: 0, timeBase: time.timeBase))
        }
        let frame = try pool.makeFrame()
        return layout.copy(bytes, into: frame) ? .frame(frame) : .damaged
    }
}

extension ColorDescription {
    /// JPEG has full range, whatever the driver reports.
    fileprivate func asJPEG(_ isJPEG: Bool) -> ColorDescription {
        var color = self
        if isJPEG { (color.isFullRange, color.matrix) = (true, 6) }
        return color
    }
}

extension TranscodeError {
    fileprivate static func opening(_ path: String, _ error: SystemError) -> TranscodeError {
        let hint: Message = "vtx devices lists the cameras"
        let failure: TranscodeError =
            switch error.code {
            case ENOENT, ENXIO: TranscodeError(.cameraNotFound, "there is no camera '\(path)'", hint: hint)
            case EACCES, EPERM:
                TranscodeError(
                    .cameraPermission, "permission to use the camera '\(path)' is denied: \(error.reason)",
                    hint: "add your user to the group video")
            case EBUSY: TranscodeError(.cameraBusy, "another program uses the camera '\(path)'")
            default: TranscodeError(.cameraUnusable, "'\(path)' delivers no frames: \(error.reason)", hint: hint)
            }
        return failure.caused(by: "\(error)")
    }

    fileprivate static func noFormat(of device: V4L2Device) -> TranscodeError {
        let names = device.formats().map(\.fourCC)
        let known = CameraPixelFormat.allCases.map(\.rawValue)
        return TranscodeError(
            .cameraFormat,
            "the camera '\(device.path)' has only \(alternatives(names)); vtx records \(alternatives(known))")
    }

    fileprivate static func lost(_ path: String, _ error: SystemError) -> TranscodeError {
        let failure =
            error.code == ENODEV
            ? TranscodeError(.cameraUnplugged, "the camera '\(path)' was unplugged")
            : TranscodeError(.cameraFailed, "the camera '\(path)' failed: \(error.reason)")
        return failure.caused(by: "\(error)")
    }
}

/// The cameras of this machine.
package enum CameraList {
    /// The maximum number of device nodes (Linux: `VIDEO_NUM_DEVICES`).
    private static let nodes = 0..<256

    /// Returns the nodes that capture video. Metadata nodes of the same device are omitted.
    package static func all() -> [CameraDescription] { nodes.compactMap { describe("/dev/video\($0)") } }

    private static func describe(_ path: String) -> CameraDescription? {
        do throws(SystemError) {
            let device = try V4L2Device(path)
            let capabilities = try device.capabilities()
            guard capabilities.isCamera else { return nil }
            return CameraDescription(
                path: path, name: capabilities.name, bus: capabilities.bus, formats: device.formats())
        } catch {
            guard [EACCES, EPERM, EBUSY].contains(error.code) else { return nil }
            return CameraDescription(path: path, name: "", bus: "", formats: [], problem: error.reason)
        }
    }
}
