import VTXFFmpeg
import VTXMedia
import VTXSession

/// Surfaces to memory.
///
/// Unchecked: one thread at a time calls it, as the contract says.
final class VAAPIDownload: VideoFilter, @unchecked Sendable {
    private let sequence = FilterSequence([])
    private let format: PixelFormat?
    private var arrangement = PixelLayout()

    init(as format: PixelFormat?) { self.format = format }

    func send(_ frame: Frame?) throws(SessionError) {
        guard let frame, frame.isOnSurface else { return try sequence.send(frame) }
        let picture: Frame
        do {
            let copy = try frame.download()
            picture = if let format { try arrangement.arrange(copy, as: format) } else { copy }
        } catch {
            throw SessionError(error, while: "copying a picture from the GPU", else: .hardwareMalfunction)
        }
        try sequence.send(picture)
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> { try sequence.receive() }
}
