package import VTXFFmpeg

/// What can go wrong in a session, told apart as VideoToolbox does.
package struct SessionError: Error, Sendable, Hashable {
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case badData
        case unsupportedFormat
        case noSuchDecoder
        case noSuchEncoder
        case hardwareMalfunction
        case notAvailableNow
        case invalidSession
        case badParameter
        case allocationFailed
    }

    package var code: Code
    /// One sentence: what, and with which value.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// A libav* call that failed while `activity`; the status decides the code, `fallback` the rest.
    package init(_ error: FFmpegError, while activity: String, else fallback: Code) {
        let code: Code =
            switch error.kind {
            case .invalidData: .badData
            case .outOfMemory: .allocationFailed
            case .noDecoder: .noSuchDecoder
            case .noEncoder: .noSuchEncoder
            case .notSupported: .unsupportedFormat
            default: fallback
            }
        self.init(code, "\(activity): \(error)")
    }
}
