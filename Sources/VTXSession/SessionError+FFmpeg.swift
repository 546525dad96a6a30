package import VTXFFmpeg
package import VTXMedia

extension SessionError {
    /// A libav* call that failed while `activity`; the status decides the code, `fallback` the rest.
    package init(_ error: FFmpegError, while activity: String, else fallback: Code) {
        let code: Code =
            switch error.kind {
            case .invalidData: .badData
            case .outOfResources: .allocationFailed
            case .noDecoder: .noSuchDecoder
            case .noEncoder: .noSuchEncoder
            case .notSupported: .unsupportedFormat
            default: fallback
            }
        self.init(code, "\(activity): \(error)")
    }
}
