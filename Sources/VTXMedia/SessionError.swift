/// An error of a session. The codes correspond to VideoToolbox's `OSStatus` values.
public struct SessionError: Error, Sendable, Hashable, Codable {
    public enum Code: String, Sendable, Hashable, CaseIterable, Codable {
        /// The data is corrupt. Costs a frame, never the session (`kVTVideoDecoderBadDataErr`).
        case badData
        /// A picture that the frame refers to is missing or damaged (`kVTVideoDecoderReferenceMissingErr`).
        case referenceMissing
        /// The format is not supported (`kVTVideoDecoderUnsupportedDataFormatErr`, `kVTPixelTransferNotSupportedErr`).
        case unsupportedFormat
        /// No device decodes the stream (`kVTCouldNotFindVideoDecoderErr`).
        case noSuchDecoder
        /// No device encodes the codec and profile at this size (`kVTCouldNotFindVideoEncoderErr`).
        case noSuchEncoder
        /// The device or its driver failed (`kVTVideoEncoderMalfunctionErr`, `kVTVideoDecoderMalfunctionErr`).
        case hardwareMalfunction
        /// No device is available at the moment (`kVTVideoEncoderNotAvailableNowErr`,
        /// `kVTVideoDecoderNotAvailableNowErr`).
        case notAvailableNow
        /// The session has been invalidated (`kVTInvalidSessionErr`).
        case invalidSession
        /// A value is not allowed; the message lists what is (`kVTParameterErr`).
        case badParameter
        /// Memory or disk space is exhausted (`kVTAllocationFailedErr`).
        case allocationFailed
        /// The session or the device does not support the property (`kVTPropertyNotSupportedErr`).
        case propertyNotSupported
        /// The property is read-only (`kVTPropertyReadOnlyErr`).
        case propertyReadOnly
        /// The session's buffer is full and the loop that read its output has ended. Has no counterpart in
        /// VideoToolbox.
        case outputNotRead
    }

    public var code: Code
    /// A one-sentence description with the offending value.
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension SessionError.Code {
    /// The `OSStatus` of a compression session (VideoToolbox's `VTErrors.h`); nil if there is no counterpart.
    public var compressionStatus: Int32? {
        switch self {
        case .hardwareMalfunction: -12912
        case .notAvailableNow: -12915
        case .unsupportedFormat: -12905
        default: decompressionStatus
        }
    }

    /// The `OSStatus` of a decompression session; nil if there is no counterpart.
    public var decompressionStatus: Int32? {
        switch self {
        case .propertyNotSupported: -12900
        case .propertyReadOnly: -12901
        case .badParameter: -12902
        case .invalidSession: -12903
        case .allocationFailed: -12904
        case .noSuchDecoder: -12906
        case .noSuchEncoder: -12908
        case .badData: -12909
        case .unsupportedFormat: -12910
        case .hardwareMalfunction: -12911
        case .notAvailableNow: -12913
        case .referenceMissing: -17694
        case .outputNotRead: nil
        }
    }
}

extension SessionError: CustomStringConvertible {
    public var description: String { "\(message) (\(code.rawValue))" }
}
