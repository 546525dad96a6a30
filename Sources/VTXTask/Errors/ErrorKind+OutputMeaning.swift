import VTXMedia

// Errors of checking, writing and recording the output, and of its journal.

extension ErrorKind {
    var verification: (Message, Message) {
        let remedy: Message = "The output was removed. Report it; \(option: .hardware, "off") may help."
        return switch self {
        case .verificationUnreadable: ("The output cannot be read back.", remedy)
        case .verificationStreams: ("The output lacks a stream.", remedy)
        case .verificationFrames: ("The output does not have the number of frames that were encoded.", remedy)
        case .verificationTimestamps: ("A frame of the output has a wrong timestamp.", remedy)
        case .verificationDuration: ("A stream of the output ends too early or too late.", remedy)
        case .verificationCodec: ("The output has a wrong codec or profile.", remedy)
        case .verificationSize: ("The output has a wrong frame size.", remedy)
        case .verificationPixelFormat: ("The output has a wrong pixel format.", remedy)
        case .verificationColor: ("The output has wrong color tags.", remedy)
        case .verificationHDRMetadata: ("The output's HDR10 metadata is missing or wrong.", remedy)
        case .verificationRotation: ("The output has a wrong rotation.", remedy)
        case .verificationUndecodable: ("The output cannot be decoded.", remedy)
        case .verificationDamaged: ("The decoder reports damaged frames in the output.", remedy)
        case .verificationContent: ("A frame of the output differs from the one that was encoded.", remedy)
        case .verificationUnits:
            ("The output's NAL units differ from the input's.", "The output was removed. Report it.")
        case .verificationAlignment:
            (
                "The renditions' key frames are not aligned.",
                "The output was removed. Report it."
            )
        case .trialPictures: ("A test clip was decoded to different pictures.", "`vtx doctor` writes a report.")
        default: ("", "")
        }
    }

    var output: (Message, Message) {
        switch self {
        case .outputExists:
            (
                "The output already exists.",
                "\(option: .overwrite, "replace") replaces it, \(option: .overwrite, "skip") keeps it."
            )
        case .outputNotAFile:
            ("The output's name is taken by something other than a regular file.", "Name another output.")
        case .outputBusy: ("Another vtx is writing the same output.", "")
        case .outputNotFound: ("The output's directory does not exist.", "Create the directory.")
        case .outputPermission: ("Permission to write the output is denied.", "Check the directory's permissions.")
        case .outputNoSpace: ("There is no space left, or a quota or size limit was reached.", "Make room.")
        case .outputNameTooLong: ("The output's name is too long.", "Shorten it.")
        case .outputWrite: ("The output cannot be written.", "The message has the reason.")
        case .outputConnection:
            ("A live output was not connected when the recording ended.", "The message has the reason.")
        case .outputPipe: ("Standard output is a terminal.", "Pipe it into a program, or name a file.")
        case .outputReader:
            ("The program reading standard output ended, closed it, or reads nothing.", "Check that program.")
        case .outputNotReplaced:
            (
                "The source cannot be replaced: it has hard links, its owner cannot be kept, it is damaged, or it cannot be removed.",
                "Name an output, without \(option: .replace)."
            )
        default: ("", "")
        }
    }

    var journal: (Message, Message) {
        switch self {
        case .journalMismatch:
            (
                "The journal of an unfinished transcode has a different source, settings or versions.",
                "\(option: .restart) starts over."
            )
        case .segmentUnusable:
            (
                "An encoded segment cannot be joined: it is damaged or has a different plan.",
                "All workers of a cluster need the same versions of vtx and its libraries. \(option: .segments, "1") avoids segments."
            )
        default: ("The output has no journal.", "`vtx clean` lists the journals of a directory.")
        }
    }

    var capture: (Message, Message) {
        switch self {
        case .cameraUnplugged: ("The camera was unplugged.", "The output is complete up to that point.")
        case .cameraTimeout:
            (
                "The camera stopped delivering frames, or never started.",
                "The output is complete up to that point. Reconnect the camera."
            )
        case .inputLost:
            (
                "The connection to an input was lost and could not be re-established.",
                "The output is complete up to that point. Reconnecting can be allowed more time."
            )
        default:
            ("A call to the camera failed.", "The output is complete up to that point. The message has the reason.")
        }
    }
}
