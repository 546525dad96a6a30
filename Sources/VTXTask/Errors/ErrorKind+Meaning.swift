package import VTXMedia

extension ErrorKind {
    /// The meaning and the remedy, for the documentation.
    package var documentation: (meaning: Message, remedy: Message) {
        switch category {
        case .usage: usage
        case .input: input
        case .unsupported: unsupported
        case .hardware: hardware
        case .verification: verification
        case .size:
            (
                "The output is, or is projected to be, larger than \(option: .maxSizeRatio) allows.",
                "The output was removed and the source is unchanged. A lower \(option: .quality) makes it smaller."
            )
        case .output: output
        case .internal: `internal`
        case .journal: journal
        case .capture: capture
        case .fallback:
            (
                "Software would replace a GPU. The code is that of the notice: `fallback.device`, `fallback.decode`, "
                    + "`fallback.filter`, `fallback.encode` or `fallback.fault`.",
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
            ("A value has the wrong type or is out of range.", "The message says what is allowed.")
        case .conflict: ("Options contradict each other.", "Leave one of them out.")
        case .needsOption: ("An option requires another one.", "Add the other one.")
        case .missingArgument: ("A file name is missing.", "The command's help lists its arguments.")
        case .unexpectedArgument: ("There are too many arguments.", "Quote names that have spaces in them.")
        case .notUTF8: ("An argument is not valid UTF-8.", "Rename the file, or open it through a link.")
        case .environment: ("An environment variable has an invalid value.", "The message says what is allowed.")
        case .outputCodec:
            ("The output's container cannot hold the codec.", "The hint lists those that can.")
        case .outputExtension:
            ("The output's extension is not that of a supported container.", "The hint lists the extensions.")
        case .outputFragmented: ("The container has no fragmented form.", "Use .mp4, .m4v or .mov.")
        case .outputIsInput: ("The output is the input itself, or its directory.", "Name another output.")
        case .profile: ("The profile belongs to another codec.", "The message lists the codec's profiles.")
        case .inputByteStream: ("The input is already a byte stream.", "`vtx mux` puts it into a container.")
        case .inputContainer: ("The input is already a container.", "`vtx extract` takes the video out.")
        case .filter:
            ("libavfilter rejects the filters.", "The message has the reason; see also `ffmpeg -h filter=NAME`.")
        case .encoderOptions:
            ("The encoder has no such option, or rejects its value.", "The hint lists the encoder's options.")
        case .inputFrameRate:
            (
                "A raw stream has no frame rate, or one was given for a file that has timestamps.",
                "The hint says which option to use."
            )
        default: ("", "")
        }
    }

    private var input: (Message, Message) {
        switch self {
        case .inputNotFound: ("The file does not exist.", "Check the name.")
        case .inputPermission: ("Permission to read the file is denied.", "Check its permissions.")
        case .inputOpen: ("The file cannot be opened.", "The message has the reason.")
        case .inputNotAFile: ("The input is a directory, device or other special file.", "Name a file.")
        case .inputEmpty: ("The file is empty.", "")
        case .inputNotMedia: ("It is not a media file, or is damaged at its beginning.", "")
        case .inputNoIndex:
            ("An MP4 or QuickTime file has no index.", "The recording was interrupted; use a complete copy.")
        case .inputBadIndex: ("The index of an MP4 or QuickTime file is damaged.", "Use a complete copy.")
        case .inputNoVideo: ("The input has no video stream.", "")
        case .inputNoAudio: ("A file given for its audio has none.", "Name another file.")
        case .inputNoSubtitles: ("A file given for its subtitles has none.", "Name another file.")
        case .inputEncoding:
            ("Added subtitles are not UTF-8.", "Convert the file, as the hint says: `iconv -t UTF-8`.")
        case .inputNoFrames: ("No frame can be decoded.", "")
        case .inputNoPicture: ("The source has no video for too long.", "Use \(option: .start), or leave streams out.")
        case .inputSeek: ("The source is not seekable.", "Leave out \(option: .start).")
        case .inputUnreadable: ("Packets cannot be read.", "Give a file instead of a pipe.")
        case .inputPipe:
            ("Standard input is a terminal or empty.", "Pipe a file in: `cat FILE | vtx ...`.")
        case .inputNotStreamable:
            (
                "An MP4 or QuickTime file has its index at the end, and cannot be read from a pipe.",
                "Give the file itself, or write it with its index first (`ffmpeg -movflags +faststart`)."
            )
        case .inputChanged: ("The file changed while it was read.", "Start again when it is complete.")
        case .inputRecord: ("The container's codec configuration record is damaged.", "")
        case .inputAccessUnit: ("The byte stream cannot be cut into access units.", "")
        case .inputParameterSets: ("Parameter sets are missing or damaged.", "")
        case .sessionReferenceMissing: ("A frame that other frames refer to is missing or damaged.", "")
        case .sessionBadData: ("The video cannot be decoded.", "")
        case .cameraNotFound: ("The camera does not exist.", "`vtx devices` lists the cameras.")
        case .cameraPermission: ("Permission to use the camera is denied.", "Add your user to the group video.")
        case .cameraBusy: ("Another program uses the camera.", "Close it.")
        case .cameraUnusable: ("The device is not a capture device.", "`vtx devices` lists the cameras.")
        case .microphoneUnusable:
            ("The microphone does not exist or cannot be recorded.", "`vtx devices` lists the microphones.")
        case .inputConnection:
            (
                "An input of `vtx capture` cannot be connected, or delivers nothing.",
                "Check that the sender is running, or wait until it connects."
            )
        default: ("", "")
        }
    }

    private var unsupported: (Message, Message) {
        switch self {
        case .videoPosition: ("The video stream does not exist.", "The message says which there are.")
        case .audioSelection, .subtitleSelection, .dataSelection, .attachmentSelection:
            ("None of the selected streams exists.", "The message says which there are.")
        case .rangeEmpty:
            (
                "There is no frame in the selected range, or at the time of the thumbnail.",
                "Check \(option: .start), \(option: .duration) and the time."
            )
        case .inputCodec: ("This build of FFmpeg does not decode the video.", "")
        case .inputProtocol:
            (
                "`vtx capture` does not support the input, or this build of FFmpeg does not.",
                "The hint lists the supported ones."
            )
        case .inputDiffers:
            (
                "Files to join differ in streams, codecs, sizes or rates.",
                "Transcode them to the same format first."
            )
        case .inputDolbyVision:
            (
                "The video is Dolby Vision profile 5, which has no base layer with standard colors.",
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
                "All renditions of the ladder are larger than the source.",
                "Name smaller ones, or use \(option: .ladder, "auto")."
            )
        case .subtitleCodec: ("The subtitles cannot be converted or burned in.", "Leave them out, or write Matroska.")
        case .targetMetric:
            (
                "The installed libavfilter lacks the metric's filter.",
                "SSIM and PSNR are always available; XPSNR requires FFmpeg 7.1, VMAF an FFmpeg built with libvmaf."
            )
        case .targetUnreachable:
            (
                "The target cannot be reached: the best quality is too low, or the smallest output too large.",
                "Ask for a lower quality, a larger size or a smaller picture."
            )
        case .encoderMissing: ("This build of FFmpeg has no encoder for the codec.", "")
        case .encoderProfile: ("The device does not encode the profile.", "The hint lists those that it does.")
        case .pixelFormat: ("The encoder does not take the pixel format.", "")
        case .size: ("The encoder does not take the size.", "The hint says which sizes it takes.")
        case .crop: ("The crop rectangle is not inside the picture.", "The message has the picture's size.")
        case .telecine:
            ("The source cannot have 3:2 pulldown, by its frame rate or pixel format.", "Leave it out.")
        case .compareShape:
            (
                "The compared files have different orientations.",
                "Compare files with the same orientation."
            )
        case .inputNoTimestamps:
            (
                "The video has no presentation times and cannot be copied.",
                "Encode it; `vtx mux` puts a byte stream into a container."
            )
        case .outputEditList:
            (
                "The source hides its first frames with an edit list, which the container lacks, or it follows another file.",
                "Write .mp4 or .mov. To join files, encode the video."
            )
        case .outputForeignCodec: ("The source's codec does not match the output's extension.", "")
        case .outputProtocol: ("This build of FFmpeg cannot write to such a URL.", "Use another protocol.")
        case .parameterSetsChange: ("Parameter sets change, and cannot all be in the header.", "")
        case .sessionUnsupportedFormat: ("A codec or filter does not support the format.", "")
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
        case .hardwareDevice: ("The device does not exist or cannot be used.", "`vtx probe` lists the devices.")
        case .hardwareNone: ("No GPU here can be used.", "`vtx probe` says why.")
        case .hardwareOpen: ("The device cannot be opened now.", "Try again, or use \(option: .hardware, "auto").")
        case .hardwareRequired:
            ("No GPU supports everything that is required.", "\(option: .hardware, "auto") falls back to software.")
        case .hardwareFault:
            ("The GPU's driver crashed or hung.", "\(option: .hardware, "auto") continues in software.")
        case .hardwareTrial: ("A driver failed every test.", "`vtx doctor` writes a report.")
        case .doctorHardware: ("A GPU failed a test.", "The report has the details.")
        case .sessionHardwareMalfunction:
            ("A GPU failed in mid-stream.", "\(option: .hardware, "auto") continues in software.")
        default: ("", "")
        }
    }

    private var `internal`: (Message, Message) {
        switch self {
        case .workerStart: ("The worker process cannot be started.", "Check the installation.")
        case .workerCrashed: ("The worker process crashed, not because of a GPU.", "Report it.")
        case .workerKilled: ("The worker process was killed.", "Check for lack of memory.")
        case .system: ("A system call failed.", "The message has the reason.")
        case .doctorSoftware: ("Software encoding failed a test.", "The report has the details.")
        default: ("A bug in vtx or a library.", "Report it.")
        }
    }
}
