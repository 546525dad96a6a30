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
        if result.elapsedSeconds > 0 { speed = " (\(Amount.speed(result.seconds / result.elapsedSeconds)))" }
        let frames = Amount.frames(result.frames)
        let times = "\(Amount.clock(result.seconds)) in \(Amount.clock(result.elapsedSeconds))\(speed)"
        return "\(frames), \(Amount.bytes(result.bytes)), \(times)"
    }
}
