import VTXTask
import VTXTranscode

/// The line at a transcode's end.
enum Summary {
    static func text(for result: TranscodeResult) -> String {
        switch result.outcome {
        case .skipped: "\(result.output): already there, left alone"
        case .completed: "\(result.output): \(figures(of: result))"
        case .incompleteSource: "\(result.output): as far as the source goes: \(figures(of: result))"
        }
    }

    private static func figures(of result: TranscodeResult) -> String {
        var speed = ""
        if result.elapsedSeconds > 0 { speed = " (\(Format.speed(result.seconds / result.elapsedSeconds)))" }
        let frames = Format.frames(result.frames)
        let times = "\(Format.clock(result.seconds)) in \(Format.clock(result.elapsedSeconds))\(speed)"
        return "\(frames), \(Format.bytes(result.bytes)), \(times)"
    }
}
