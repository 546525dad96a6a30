/// What can go wrong in a session, told apart as VideoToolbox does by its `OSStatus`.
public struct SessionError: Error, Sendable, Hashable, Codable {
    public enum Code: String, Sendable, Hashable, CaseIterable, Codable {
        /// `kVTVideoDecoderBadDataErr`: costs a frame, never the session.
        case badData
        /// `kVTVideoDecoderReferenceMissingErr`: a picture that the frame refers to is missing or damaged.
        case referenceMissing
        /// `kVTVideoDecoderUnsupportedDataFormatErr`, `kVTPixelTransferNotSupportedErr`
        case unsupportedFormat
        /// `kVTCouldNotFindVideoDecoderErr`
        case noSuchDecoder
        /// `kVTCouldNotFindVideoEncoderErr`
        case noSuchEncoder
        /// `kVTVideoEncoderMalfunctionErr`, `kVTVideoDecoderMalfunctionErr`
        case hardwareMalfunction
        /// `kVTVideoEncoderNotAvailableNowErr`, `kVTVideoDecoderNotAvailableNowErr`
        case notAvailableNow
        /// `kVTInvalidSessionErr`
        case invalidSession
        /// `kVTParameterErr`
        case badParameter
        /// `kVTAllocationFailedErr`
        case allocationFailed
        /// `kVTPropertyNotSupportedErr`
        case propertyNotSupported
        /// `kVTPropertyReadOnlyErr`
        case propertyReadOnly
        /// The reader of a session's output has ended, and what it has not read fills the session.
        case outputNotRead
    }

    public var code: Code
    /// One sentence: what, and with which value.
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension SessionError.Code {
    /// The `OSStatus` of a compression session for it (VideoToolbox's `VTErrors.h`); nil where there is none.
    public var compressionStatus: Int32? {
        switch self {
        case .hardwareMalfunction: -12912
        case .notAvailableNow: -12915
        case .unsupportedFormat: -12905
        default: decompressionStatus
        }
    }

    /// The `OSStatus` of a decompression session for it; nil where there is none.
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
