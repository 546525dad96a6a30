import VTXFFmpeg
import VTXSession

/// Surfaces to memory.
final class VAAPIDownload: VideoFilter {
    private let sequence = FilterSequence([])

    func send(_ frame: Frame?) throws(SessionError) {
        do { try sequence.send(frame.map { frame throws(FFmpegError) in
            frame.isOnSurface ? try frame.download() : frame
        }) } catch let error as FFmpegError {
            throw SessionError(error, while: "copying a picture from the GPU", else: .hardwareMalfunction)
        } catch let error as SessionError { throw error } catch {
            throw SessionError(.hardwareMalfunction, "\(error)")
        }
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> { try sequence.receive() }
}
