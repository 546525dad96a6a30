package import VTXMedia

extension ErrorKind {
    /// What it means and what helps, for the documentation.
    package var documentation: (meaning: Message, remedy: Message) {
        switch category {
        case .usage: usage
        case .input: input
        case .unsupported: unsupported
        case .hardware: hardware
        case .verification: verification
        case .size:
            (
                "The output is larger, or is going to be, than \(option: .maxSizeRatio) allows.",
                "Nothing is left of it, and the source is as it was. A lower \(option: .quality) makes it smaller."
            )
        case .output: output
        case .internal: `internal`
        case .journal: journal
        case .capture: capture
        case .fallback:
            (
                "Software would have to do what a GPU was to do. The code is that of the notice: `fallback.device`, "
                    + "`fallback.decode`, `fallback.filter`, `fallback.encode` or `fallback.fault`.",
                "Leave out \(option: .failOnFallback), or see `vtx probe`."
            )
        case .interrupted: ("SIGINT, or Ctrl-C.", "")
        case .terminated: ("SIGTERM or SIGHUP.", "")
        }
    }

    private var usage: (Message, Message) {
        switch self {
        case .unknownCommand: ("There is no such command.", "`vtx help` lists the commands.")
        case .unknownOption: ("The command has no such option.", "The command's help lists its options.")
        case .missingValue: ("An option has no value.", "The message says what is expected.")
        case .unexpectedValue: ("A value was given to an option that takes none.", "Leave the value out.")
        case .badValue:
            ("A value is not of the option's type, or out of its range.", "The message says what is allowed.")
        case .conflict: ("Options contradict each other.", "Leave one of them out.")
        case .needsOption: ("An option makes sense only with another one.", "Add the other one.")
        case .missingArgument: ("A file name is missing.", "The command's help lists its arguments.")
        case .unexpectedArgument: ("There is one argument too many.", "Quote names that have spaces in them.")
        case .notUTF8: ("An argument is not valid UTF-8.", "Rename the file, or open it through a link.")
        case .environment: ("An environment variable has a value that is not allowed.", "The message says what is.")
        case .outputCodec:
            ("The output's container cannot hold the codec.", "The hint lists those that can.")
        case .outputExtension:
            ("The output's name does not say which container to write.", "The hint lists the extensions.")
        case .outputFragmented: ("The container has no fragmented form.", "Use .mp4, .m4v or .mov.")
        case .outputIsInput: ("The output is the input itself.", "Name another output.")
        case .profile: ("The profile is one of another codec.", "The message lists the codec's.")
        case .videoPosition: ("There is no video stream with that number.", "The message says which there are.")
        case .audioSelection, .subtitleSelection, .dataSelection, .attachmentSelection:
            ("A list of streams names none that is there.", "The message says which there are.")
        case .rangeEmpty:
            ("There is no frame in the part that was asked for.", "Check \(option: .start) and \(option: .duration).")
        case .inputByteStream: ("The input is a byte stream already.", "`vtx mux` puts it into a container.")
        case .inputContainer: ("The input is a container already.", "`vtx extract` takes the video out.")
        case .filter:
            ("libavfilter does not take the filters.", "The message has its words; `ffmpeg -h filter=NAME` has more.")
        case .encoderOptions:
            ("The encoder has no such option, or does not take its value.", "The hint lists those that it has.")
        case .inputFrameRate:
            (
                "A raw stream does not say its frame rate, or a rate is given for a file that has times of its own.",
                "The hint says which option to use."
            )
        default: ("", "")
        }
    }

    private var input: (Message, Message) {
        switch self {
        case .inputNotFound: ("The file is not there.", "Check the name.")
        case .inputPermission: ("The file may not be read.", "Check its permissions.")
        case .inputOpen: ("The file cannot be opened.", "The message has the reason.")
        case .inputNotAFile: ("It is a directory, a device or another thing that is not a file.", "Name a file.")
        case .inputEmpty: ("The file is empty.", "")
        case .inputNotMedia: ("It is not a media file, or is damaged at its beginning.", "")
        case .inputNoIndex: ("An MP4 or QuickTime file has no index.", "Its writer was stopped: use a whole copy.")
        case .inputBadIndex: ("The index of an MP4 or QuickTime file is damaged.", "Use a whole copy.")
        case .inputNoVideo: ("There is no video in it.", "")
        case .inputNoAudio: ("There is no audio in a file that is to add some.", "Name another file.")
        case .inputNoSubtitles: ("There are no subtitles in a file that is to add some.", "Name another file.")
        case .inputEncoding:
            ("Subtitles that are to be added are not UTF-8.", "Convert the file, as the hint says: `iconv -t UTF-8`.")
        case .inputNoFrames: ("There is no frame in it that can be decoded.", "")
        case .inputNoPicture: ("No picture comes for a long time.", "Use \(option: .start), or leave streams out.")
        case .inputSeek: ("The source cannot be sought in.", "Leave out \(option: .start).")
        case .inputUnreadable: ("Packets cannot be read.", "Give a file instead of a pipe.")
        case .inputPipe:
            ("Standard input is a terminal, or nothing comes from it.", "Pipe a file in: `cat FILE | vtx ...`.")
        case .inputNotStreamable:
            (
                "An MP4 or QuickTime file has its index at the end, and cannot be read from a pipe.",
                "Give the file itself, or write it with its index first (`ffmpeg -movflags +faststart`)."
            )
        case .inputChanged: ("The file changed while it was read.", "Start again when it is complete.")
        case .inputRecord: ("The container's record of the video is damaged.", "")
        case .inputAccessUnit: ("The byte stream cannot be cut into access units.", "")
        case .inputParameterSets: ("Parameter sets are missing or damaged.", "")
        case .sessionReferenceMissing: ("A frame that other frames refer to is missing or damaged.", "")
        case .sessionBadData: ("The video cannot be decoded.", "")
        case .cameraNotFound: ("There is no such camera.", "`vtx devices` lists the cameras.")
        case .cameraPermission: ("The camera may not be used.", "Become a member of the group video.")
        case .cameraBusy: ("Another program uses the camera.", "Close it.")
        case .cameraUnusable: ("The device gives no pictures.", "`vtx devices` lists the cameras.")
        case .inputConnection:
            (
                "An input of `vtx capture` cannot be connected to, or nothing comes from it.",
                "Look whether its sender is there, or wait until it connects."
            )
        default: ("", "")
        }
    }

    private var unsupported: (Message, Message) {
        switch self {
        case .inputCodec: ("This build of FFmpeg does not decode the video.", "")
        case .inputProtocol:
            (
                "`vtx capture` has no such input, or this build of FFmpeg does not read it.",
                "The hint lists those that there are."
            )
        case .inputDiffers:
            (
                "A file that is to follow another has other streams, codecs, sizes or rates.",
                "Transcode it to the same first."
            )
        case .inputDolbyVision:
            (
                "The video is Dolby Vision of profile 5, whose colors nothing but its own metadata makes right.",
                "\(option: .copyVideo) keeps it as it is."
            )
        case .cameraFormat: ("The camera has no format that vtx records.", "`vtx devices` lists its formats.")
        case .inputEncrypted: ("The video is encrypted.", "Decrypt it first.")
        case .audioCodec:
            ("This build of FFmpeg does not decode the audio.", "Leave it out: \(option: .audio, "none").")
        case .audioContainer: ("The container cannot hold the audio codec.", "The hint lists those that it holds.")
        case .audioEncoder: ("This build of FFmpeg has no encoder for the audio.", "Use another codec.")
        case .ladder:
            (
                "No rendition of the ladder is as small as the source.",
                "Name smaller ones, or \(option: .ladder, "auto")."
            )
        case .subtitleCodec: ("The subtitles cannot be converted.", "Leave them out, or write Matroska.")
        case .targetMetric:
            (
                "This libavfilter has no filter for the metric.",
                "SSIM and PSNR are everywhere; XPSNR comes with FFmpeg 7.1."
            )
        case .targetUnreachable:
            (
                "The encoder does not reach the target: its best quality is below it, or its smallest output above the size.",
                "Ask for a lower quality, a larger size or a smaller picture."
            )
        case .encoderMissing: ("This build of FFmpeg has no encoder for the codec.", "")
        case .encoderProfile: ("The device does not encode the profile.", "The hint lists those that it does.")
        case .pixelFormat: ("The encoder does not take the pixel format.", "")
        case .size: ("The encoder does not take the size.", "The hint says which sizes it takes.")
        case .crop: ("The part to keep does not lie within the picture.", "The message says how large the picture is.")
        case .telecine:
            ("The source has no 3:2 pulldown: its frame rate or its samples are others.", "Leave it out.")
        case .compareShape:
            (
                "Of two files to compare, one is shown upright and the other on its side.",
                "Compare with an original that is turned the same way."
            )
        case .inputNoTimestamps:
            (
                "The video does not say when its frames are shown, and so cannot be copied.",
                "Encode it; `vtx mux` puts a byte stream into a container."
            )
        case .outputEditList:
            (
                "The source hides its first frames by an edit list, which the container does not have.",
                "Write .mp4 or .mov."
            )
        case .outputForeignCodec: ("The source's video is of another codec than the output's name says.", "")
        case .outputProtocol:
            (
                "This build of FFmpeg does not write to such a URL, or not this codec.",
                "Use another protocol, or \(option: .codec, "h264")."
            )
        case .parameterSetsChange: ("Parameter sets change, and cannot all be in the header.", "")
        case .sessionUnsupportedFormat: ("A codec or a filter does not take the format.", "")
        case .forbiddenDowngrade:
            (
                "Something of the source would be lost. The code is that of the notice, such as `downgrade.bitDepth`.",
                "Leave out \(option: .failOnDowngrade), or choose a container and a profile that keep it."
            )
        default: ("", "")
        }
    }

    private var hardware: (Message, Message) {
        switch self {
        case .hardwareDevice: ("There is no such device, or it cannot be used.", "`vtx probe` lists the devices.")
        case .hardwareNone: ("No GPU here can be used.", "`vtx probe` says why.")
        case .hardwareOpen: ("The device cannot be opened now.", "Try again, or use \(option: .hardware, "auto").")
        case .hardwareRequired:
            ("No GPU here does all that was asked for.", "\(option: .hardware, "auto") lets software help.")
        case .hardwareFault:
            ("The GPU's driver crashed or hung.", "\(option: .hardware, "auto") goes on in software.")
        case .hardwareTrial: ("Nothing that a driver promises came out right.", "`vtx doctor` writes a report.")
        case .doctorHardware: ("A GPU failed at something.", "The report has the details.")
        case .sessionHardwareMalfunction:
            ("A GPU failed in the middle.", "\(option: .hardware, "auto") goes on in software.")
        default: ("", "")
        }
    }

    private var journal: (Message, Message) {
        switch self {
        case .journalMismatch:
            (
                "The journal of a transcode that was not finished is of another source, other settings or other versions.",
                "\(option: .restart) starts over."
            )
        case .segmentUnusable:
            (
                "A segment that another worker has encoded cannot be joined: it is damaged, or of another plan.",
                "All workers of a cluster need the same versions of vtx and its libraries. \(option: .segments, "1") cuts nothing."
            )
        default: ("There is no journal of that output.", "`vtx clean` lists the journals of a directory.")
        }
    }

    private var capture: (Message, Message) {
        switch self {
        case .cameraUnplugged: ("The camera was unplugged.", "The output is whole up to then.")
        case .cameraTimeout:
            (
                "The camera gives no pictures any more, or none at all.",
                "The output is whole up to then. Plug it in again."
            )
        case .inputLost:
            (
                "The connection to an input was lost, and could not be made again.",
                "The output is whole up to then. It may be tried for longer."
            )
        default: ("A call to the camera failed.", "The output is whole up to then. The message has the reason.")
        }
    }

    private var `internal`: (Message, Message) {
        switch self {
        case .workerStart: ("The process that does the work cannot be started.", "Check the installation.")
        case .workerCrashed: ("That process crashed, and no GPU is to blame.", "Report it.")
        case .workerKilled: ("Something killed that process.", "Look for a lack of memory.")
        case .system: ("A call to the system failed.", "The message has the reason.")
        case .doctorSoftware: ("The software fails at something.", "The report has the details.")
        default: ("A fault of vtx or of a library under it.", "Report it.")
        }
    }
}
