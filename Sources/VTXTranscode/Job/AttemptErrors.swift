import VTXMedia
import VTXSession
import VTXTask

/// The reason for another attempt.
enum FailedAttempt: Error {
    /// A GPU failed, with the error for the user if no other attempt is allowed.
    case hardware(HardwareFailure, TranscodeError)
    /// The header of the output does not fit all of the video.
    case seam(SeamChange)
    /// What an earlier run encoded is wrong, and is no longer in the journal.
    case earlier
    /// The output misses its target size or average; another bit rate should reach it.
    case size(bitrate: Int)
}

struct SizeMissed: Error {
    var bitrate: Int
}

extension TranscodeError {
    /// Returns the error if there is no other attempt.
    func afterPipe(_ error: any Error) -> TranscodeError {
        guard error is HardwareFailure || category == .verification else { return self }
        var error = self
        error.hint = "data from a pipe cannot be read again; \(option: .hardware, "off") uses no GPU"
        return error
    }

    /// Returns the error of an encoder whose rate is too low for the second pass.
    static func tooLow(_ request: TranscodeRequest, because error: TranscodeError) -> TranscodeError {
        let size: Message? = request.targetSize.map { wanted in
            "\(option: .targetSize, "\(wanted)") cannot be reached: the encoder needs more for the video than audio and "
                + "subtitles leave"
        }
        let rate: Message =
            "\(option: .bitrate, "\(request.wantedBitrate ?? request.bitrate ?? 0)") cannot be reached: the encoder needs more for the video"
        return TranscodeError(.targetUnreachable, size ?? rate, hint: size == nil ? fewerBits : smallerPictures)
            .caused(by: error.cause ?? "\(error.message)")
    }

    static func noSpace(forStatisticsIn directory: String) -> TranscodeError {
        TranscodeError(
            .outputNoSpace, "the statistics of the first pass do not fit in '\(directory)'",
            hint: "TMPDIR names another directory")
    }

    private static let fewerBits: Message = "a smaller \(option: .size) or \(option: .frameRate) needs fewer bits"
    private static let smallerPictures = fewerBits + ", a lower \(option: .audioBitrate) leaves more"

    static func tooLarge(_ output: String, _ written: Int64, wanted: Int?) -> TranscodeError {
        TranscodeError(
            .targetUnreachable,
            "\(option: .targetSize, "\(wanted ?? 0)") cannot be reached: '\(output)' needs \(written) bytes at the lowest rate "
                + "of its encoder",
            hint: smallerPictures)
    }
}

/// Stops the stages when the user cancels the job; `explain(_:_:)` converts it to a message.
struct CancelledByUser: Error {}
