public import VTXMedia
import VTXSession

/// The encoders and decoders of this machine. Devices are queried once per process, on first use.
public enum VideoHardware {
    /// The available encoders, GPUs first (C: `VTCopyVideoEncoderList`).
    public static var encoders: [VideoEncoderDescription] { encoders(of: .standard) }

    /// Returns whether a GPU decodes such a stream (C: `VTIsHardwareDecodeSupported`).
    ///
    /// - Parameters:
    ///   - codec: The codec of the stream.
    ///   - profile: Its bit depth and chroma format must be supported; nil for any.
    ///   - size: The frame size, in pixels; nil for any.
    public static func isDecodingSupported(
        _ codec: VideoCodec, profile: VideoProfile? = nil, size: PixelSize? = nil
    ) -> Bool {
        isDecodingSupported(codec, profile: profile, size: size, by: .standard)
    }

    /// Returns whether a GPU encodes such a stream.
    ///
    /// - Parameters:
    ///   - codec: The codec of the stream.
    ///   - profile: The profile; nil for any.
    ///   - size: The frame size, in pixels; nil for any.
    public static func isEncodingSupported(
        _ codec: VideoCodec, profile: VideoProfile? = nil, size: PixelSize? = nil
    ) -> Bool {
        isEncodingSupported(codec, profile: profile, size: size, by: .standard)
    }

    static func encoders(of backends: SharedBackends) -> [VideoEncoderDescription] {
        candidates(backends).flatMap { candidate in
            candidate.matrix.encoders.map { VideoEncoderDescription($0, of: candidate.matrix) }
        }
    }

    static func isDecodingSupported(
        _ codec: VideoCodec, profile: VideoProfile?, size: PixelSize?, by backends: SharedBackends
    ) -> Bool {
        candidates(backends).hardware.contains { candidate in
            guard case .rows(let rows) = candidate.matrix.decoding else { return true }
            return rows.contains { row in
                row.codec == codec.rawValue
                    && (profile.map { $0.maxChroma == row.chroma && $0.maxBitDepth == row.bitDepth } ?? true)
                    && (size.map { $0.width <= row.maxSize.width && $0.height <= row.maxSize.height } ?? true)
            }
        }
    }

    static func isEncodingSupported(
        _ codec: VideoCodec, profile: VideoProfile?, size: PixelSize?, by backends: SharedBackends
    ) -> Bool {
        candidates(backends).hardware.flatMap(\.matrix.encoders).contains { row in
            row.codec == codec && (profile.map { $0 == row.profile } ?? true) && (size.map(row.holds) ?? true)
        }
    }

    private static func candidates(_ backends: SharedBackends) -> [DeviceCandidate] {
        DeviceCandidate.all(from: backends.current().backends, allowsHardware: true).ranked
    }
}

/// An encoder of one device (VideoToolbox: an entry of `VTCopyVideoEncoderList`).
public struct VideoEncoderDescription: Sendable, Hashable {
    public var codec: VideoCodec
    public var profile: VideoProfile
    /// The display name: a GPU's name, or `software (libavcodec)` (`kVTVideoEncoderList_DisplayName`).
    public var deviceName: String
    /// The value for ``VideoEncoderConfiguration/device``; nil for software (`kVTVideoEncoderList_GPURegistryID`).
    public var device: String?
    /// Whether the device is a GPU (`kVTVideoEncoderList_IsHardwareAccelerated`).
    public var isHardware: Bool { device != nil }
    public var minSize: PixelSize
    public var maxSize: PixelSize
    /// Whether it encodes B frames (`kVTVideoEncoderList_SupportsFrameReordering`).
    public var supportsFrameReordering: Bool

    init(_ encoder: EncoderCapability, of matrix: CapabilityMatrix) {
        (codec, profile, deviceName) = (encoder.codec, encoder.profile, matrix.deviceName)
        device = matrix.isHardware ? matrix.device.name : nil
        (minSize, maxSize) = (encoder.minSize, encoder.maxSize)
        supportsFrameReordering = encoder.reordersFrames
    }
}
