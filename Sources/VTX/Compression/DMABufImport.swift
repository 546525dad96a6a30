import VTXFFmpeg
import VTXMedia
import VTXSession

/// Transfers frames in DMA-BUFs to memory or surfaces that a session's encoder accepts.
///
/// Unchecked: it is confined to the queue of one session.
final class DMABufImport: @unchecked Sendable {
    private let device: any DeviceSession
    private let samples: PixelFormat
    private var upload: (any VideoFilter)?
    /// Whether the driver has rejected a frame. All following frames are copied.
    private var isRefused = false

    /// - Parameter samples: The format that the encoder accepts.
    init(to device: any DeviceSession, for samples: PixelFormat) {
        self.device = device
        self.samples = samples
    }

    /// - Returns: a surface of the device, or a frame in memory.
    func take(_ frame: Frame) throws(SessionError) -> Frame {
        let canCopy = frame.dmaBuf?.isLinear == true
        // Other samples would have to come to memory anyway, to be converted.
        let isWorthwhile = !canCopy || (!isRefused && frame.isEncodable(as: samples))
        guard device.capabilities.isHardware, isWorthwhile else { return try frame.copiedToMemory() }
        do throws(SessionError) { return try imported(frame) } catch {
            guard canCopy else { throw error }
            isRefused = true
            return try frame.copiedToMemory()
        }
    }

    private func imported(_ frame: Frame) throws(SessionError) -> Frame {
        if let upload { return try upload.apply(to: frame) }
        let made = try device.makeUpload()
        upload = made
        return try made.apply(to: frame)
    }
}

extension Frame {
    /// Whether the frame has the format of a surface, NV12 for 8 bits and P010 for 10, and even sides; odd ones would
    /// be scaled.
    fileprivate func isEncodable(as samples: PixelFormat) -> Bool {
        [.nv12, .p010].contains(pixelFormat) && pixelFormat.hasSamples(like: samples) && size.width % 2 == 0
            && size.height % 2 == 0
    }
}
