import VTXFFmpeg
import VTXMedia
import VTXTask

extension TranscodeError {
    /// A write that failed in libavformat.
    init(_ error: FFmpegError, writing output: String) {
        switch error.kind {
        case .noSpace, .permission, .notFound: self.init(output: "'\(output)' cannot be written", -error.status)
        default:
            self.init(.outputWrite, "'\(output)' cannot be written: \(error)")
            cause = "\(error)"
        }
    }
}
