import VTXFFmpeg
import VTXMedia
import VTXSession

/// Memory to surfaces.
final class VAAPIUpload: VideoFilter {
    private let sequence = FilterSequence([])
    private let upload: SurfaceUpload

    init(_ upload: SurfaceUpload) { self.upload = upload }

    func send(_ frame: Frame?) throws(SessionError) {
        if let frame { try sequence.send(try upload.surface(for: frame)) } else { try sequence.send(nil) }
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> { try sequence.receive() }
}
