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

extension SessionError: CustomStringConvertible {
    public var description: String { "\(message) (\(code.rawValue))" }
}
