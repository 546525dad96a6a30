import VTXFFmpeg
import VTXMedia
import VTXTask

/// A camera with the audio of a microphone.
///
/// Unchecked: one thread at a time calls it.
final class CameraWithMicrophone: CaptureSource, @unchecked Sendable {
    private let camera: any CaptureSource
    private let microphone: Microphone

    init(_ camera: any CaptureSource, _ microphone: Microphone) {
        (self.camera, self.microphone) = (camera, microphone)
    }

    var format: CaptureFormat { camera.format }
    var audio: CaptureAudioFormat? { microphone.format }
    var decoderName: String? { camera.decoderName }
    var watchesItself: Bool { camera.watchesItself }
    var isBuffered: Bool { camera.isBuffered }
    var hasEnded: Bool { camera.hasEnded }

    /// Starts the camera first, which may take seconds, because the microphone buffers only one second.
    func start() throws(TranscodeError) {
        try camera.start()
        try microphone.start()
    }

    func next(within seconds: Double) throws(TranscodeError) -> CapturedPicture? {
        try camera.next(within: seconds)
    }

    func takeAudio() -> [Packet] { microphone.takePackets() }
    func finishAudio(at end: MediaTime) { microphone.finish(at: end.seconds) }
    func stop() { camera.stop() }
}
