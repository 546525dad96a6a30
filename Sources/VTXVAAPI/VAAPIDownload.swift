import VTXFFmpeg
import VTXSession

/// Surfaces to memory.
final class VAAPIDownload: VideoFilter {
    private let sequence = FilterSequence([])

    func send(_ frame: Frame?) throws(SessionError) {
        guard let frame, frame.isOnSurface else { return try sequence.send(frame) }
        let picture: Frame
        do { picture = try frame.download() } catch {
            throw SessionError(error, while: "copying a picture from the GPU", else: .hardwareMalfunction)
        }
        try sequence.send(picture)
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> { try sequence.receive() }
}
