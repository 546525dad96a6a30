import VTXMedia

// What a check of the output, and writing it, can fail at.

extension ErrorKind {
    var verification: (Message, Message) {
        let remedy: Message = "Nothing is left of the output. Report it; \(option: .hardware, "off") may help."
        return switch self {
        case .verificationUnreadable: ("The output cannot be read back.", remedy)
        case .verificationStreams: ("A stream is missing in the output.", remedy)
        case .verificationFrames: ("The output has another number of frames than were encoded.", remedy)
        case .verificationTimestamps: ("A frame of the output has another time than it was given.", remedy)
        case .verificationDuration: ("A stream of the output ends too early or too late.", remedy)
        case .verificationCodec: ("The output has another codec or profile.", remedy)
        case .verificationSize: ("The output's pictures have another size.", remedy)
        case .verificationPixelFormat: ("The output's samples are of another format.", remedy)
        case .verificationColor: ("The output says other colors than were asked for.", remedy)
        case .verificationHDRMetadata: ("HDR10 metadata is missing in the output, or differs.", remedy)
        case .verificationRotation: ("The output's rotation differs.", remedy)
        case .verificationUndecodable: ("The output cannot be decoded.", remedy)
        case .verificationDamaged: ("A decoder finds frames of the output damaged.", remedy)
        case .verificationContent: ("A frame of the output is not the one that was encoded.", remedy)
        case .verificationUnits:
            ("The output has other NAL units than the input.", "Nothing is left of the output. Report it.")
        case .verificationAlignment:
            (
                "The renditions do not have their key frames at the same times.",
                "Nothing is left of the output. Report it."
            )
        case .trialPictures: ("A test clip came out with other pictures.", "`vtx doctor` writes a report.")
        default: ("", "")
        }
    }

    var output: (Message, Message) {
        switch self {
        case .outputExists:
            (
                "The output exists already.",
                "\(option: .overwrite, "replace") replaces it, \(option: .overwrite, "skip") leaves it alone."
            )
        case .outputNotAFile: ("What has the output's name is not a regular file.", "Name another output.")
        case .outputBusy: ("Another vtx is writing the same output.", "")
        case .outputNotFound: ("The output's directory is not there.", "Make the directory.")
        case .outputPermission: ("The output may not be written.", "Check the directory's permissions.")
        case .outputNoSpace: ("There is no space left, or a quota or size limit is reached.", "Make room.")
        case .outputNameTooLong: ("The output's name is too long.", "Shorten it.")
        case .outputWrite: ("The output cannot be written.", "The message has the reason.")
        case .outputConnection: ("A live output was not connected at the end.", "The message has the reason.")
        case .outputPipe: ("Standard output is a terminal.", "Pipe it into a program, or name a file.")
        case .outputReader:
            ("The program that reads standard output has ended, or does not want more.", "Look at that program.")
        case .outputNotReplaced:
            (
                "The source cannot be replaced: it has other names, its owner cannot be kept, or a part of it is missing.",
                "Name an output, without \(option: .replace)."
            )
        default: ("", "")
        }
    }
}
