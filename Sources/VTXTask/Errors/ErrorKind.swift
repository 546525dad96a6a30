package import VTXMedia

/// All errors, by the codes that programs see. Codes are stable; new ones may be added.
package enum ErrorKind: String, Sendable, Hashable, CaseIterable, Codable {
    case unknownCommand = "usage.unknownCommand"
    case unknownOption = "usage.unknownOption"
    case missingValue = "usage.missingValue"
    case unexpectedValue = "usage.unexpectedValue"
    case badValue = "usage.badValue"
    case conflict = "usage.conflict"
    case needsOption = "usage.needsOption"
    case missingArgument = "usage.missingArgument"
    case unexpectedArgument = "usage.unexpectedArgument"
    case notUTF8 = "usage.notUTF8"
    case environment = "usage.environment"
    case outputCodec = "output.codec"
    case outputExtension = "output.extension"
    case outputFragmented = "output.fragmented"
    case outputIsInput = "output.isInput"
    case profile
    case inputByteStream = "input.byteStream"
    case inputContainer = "input.container"
    case inputFrameRate = "input.frameRate"
    case filter
    case encoderOptions = "encoder.options"

    case inputNotFound = "input.notFound"
    case inputPermission = "input.permission"
    case inputOpen = "input.open"
    case inputConnection = "input.connection"
    case inputNotAFile = "input.notAFile"
    case inputEmpty = "input.empty"
    case inputNotMedia = "input.notMedia"
    case inputNoIndex = "input.noIndex"
    case inputBadIndex = "input.badIndex"
    case inputNoVideo = "input.noVideo"
    case inputNoAudio = "input.noAudio"
    case inputNoSubtitles = "input.noSubtitles"
    case inputEncoding = "input.encoding"
    case inputNoFrames = "input.noFrames"
    case inputNoPicture = "input.noPicture"
    case inputSeek = "input.seek"
    case inputUnreadable = "input.unreadable"
    case inputChanged = "input.changed"
    case inputPipe = "input.pipe"
    case inputNotStreamable = "input.notStreamable"
    case inputRecord = "input.record"
    case inputAccessUnit = "input.accessUnit"
    case inputParameterSets = "input.parameterSets"
    case sessionBadData = "session.badData"
    case sessionReferenceMissing = "session.referenceMissing"

    case cameraNotFound = "camera.notFound"
    case cameraPermission = "camera.permission"
    case cameraBusy = "camera.busy"
    case cameraUnusable = "camera.unusable"
    case microphoneUnusable = "microphone.unusable"

    case videoPosition = "video.position"
    case audioSelection = "audio.selection"
    case subtitleSelection = "subtitle.selection"
    case dataSelection = "data.selection"
    case attachmentSelection = "attachment.selection"
    case rangeEmpty = "range.empty"
    case cameraFormat = "camera.format"
    case inputCodec = "input.codec"
    case inputProtocol = "input.protocol"
    case inputDiffers = "input.differs"
    case inputDolbyVision = "input.dolbyVision"
    case inputEncrypted = "input.encrypted"
    case audioCodec = "audio.codec"
    case audioContainer = "audio.container"
    case audioEncoder = "audio.encoder"
    case subtitleCodec = "subtitle.codec"
    case ladder
    case encoderMissing = "encoder.missing"
    case encoderProfile = "encoder.profile"
    case pixelFormat
    case size
    case crop
    case telecine
    case targetMetric = "target.metric"
    case targetUnreachable = "target.unreachable"
    case compareShape = "compare.shape"
    case inputNoTimestamps = "input.noTimestamps"
    case outputEditList = "output.editList"
    case outputForeignCodec = "output.foreignCodec"
    case outputProtocol = "output.protocol"
    case parameterSetsChange = "parameterSets.change"
    case sessionUnsupportedFormat = "session.unsupportedFormat"
    case forbiddenDowngrade = "downgrade"

    case cameraUnplugged = "camera.unplugged"
    case cameraTimeout = "camera.timeout"
    case cameraFailed = "camera.failed"
    case inputLost = "input.lost"

    case hardwareDevice = "hardware.device"
    case hardwareNone = "hardware.none"
    case hardwareOpen = "hardware.open"
    case hardwareRequired = "hardware.required"
    case hardwareFault = "hardware.fault"
    case hardwareTrial = "hardware.trial"
    case doctorHardware = "doctor.hardware"
    case sessionHardwareMalfunction = "session.hardwareMalfunction"

    case verificationUnreadable = "verification.unreadable"
    case verificationStreams = "verification.streams"
    case verificationFrames = "verification.frames"
    case verificationTimestamps = "verification.timestamps"
    case verificationDuration = "verification.duration"
    case verificationCodec = "verification.codec"
    case verificationSize = "verification.size"
    case verificationPixelFormat = "verification.pixelFormat"
    case verificationColor = "verification.color"
    case verificationHDRMetadata = "verification.hdrMetadata"
    case verificationRotation = "verification.rotation"
    case verificationUndecodable = "verification.undecodable"
    case verificationDamaged = "verification.damaged"
    case verificationContent = "verification.content"
    case verificationUnits = "verification.units"
    case verificationAlignment = "verification.alignment"
    case trialPictures = "trial.pictures"

    case outputTooLarge = "output.tooLarge"
    case outputExists = "output.exists"
    case outputNotAFile = "output.notAFile"
    case outputBusy = "output.busy"
    case outputNotFound = "output.notFound"
    case outputPermission = "output.permission"
    case outputNoSpace = "output.noSpace"
    case outputNameTooLong = "output.nameTooLong"
    case outputWrite = "output.write"
    case outputNotReplaced = "output.notReplaced"
    case outputConnection = "output.connection"
    case outputPipe = "output.pipe"
    case outputReader = "output.reader"

    case journalMismatch = "journal.mismatch"
    case journalNone = "journal.none"
    case segmentUnusable = "segment.unusable"

    case forbiddenFallback = "fallback"

    case interrupted = "cancelled.interrupted"
    case terminated = "cancelled.terminated"

    case `internal`
    case system
    case software
    case workerStart = "worker.start"
    case workerCrashed = "worker.crashed"
    case workerKilled = "worker.killed"
    case doctorSoftware = "doctor.software"
    case trialClip = "trial.clip"
    case sessionNoSuchDecoder = "session.noSuchDecoder"
    case sessionNoSuchEncoder = "session.noSuchEncoder"
    case sessionNotAvailableNow = "session.notAvailableNow"
    case sessionInvalidSession = "session.invalidSession"
    case sessionBadParameter = "session.badParameter"
    case sessionAllocationFailed = "session.allocationFailed"
    case sessionPropertyNotSupported = "session.propertyNotSupported"
    case sessionPropertyReadOnly = "session.propertyReadOnly"
    case sessionOutputNotRead = "session.outputNotRead"
}

extension ErrorKind {
    /// Classifies errors by remedy. The exit code of a command and the status of a service follow from it.
    package enum Category: String, Sendable, Hashable, CaseIterable, Codable {
        /// A bug in vtx or in a library that it uses.
        case `internal`
        /// The request is invalid for any input.
        case usage
        /// The input cannot be opened or read, or contains nothing to work on.
        case input
        /// The request cannot be fulfilled with this input, container or codec.
        case unsupported
        /// Hardware is required, but cannot be used.
        case hardware
        /// The output failed its check and was removed.
        case verification
        /// The output is, or would be, larger than the request allows.
        case size
        /// The output cannot be written: permission denied, disk full, or existing file.
        case output
        /// The journal of an earlier run cannot be resumed.
        case journal
        /// The camera was unplugged or stopped delivering frames. The output is complete up to then.
        case capture
        /// Software would have to replace a GPU, which the request forbids.
        case fallback
        case interrupted
        case terminated
    }

    package var category: Category {
        switch self {
        case .unknownCommand, .unknownOption, .missingValue, .unexpectedValue, .badValue, .conflict, .needsOption,
            .missingArgument, .unexpectedArgument, .notUTF8, .environment, .outputCodec, .outputExtension,
            .outputFragmented, .outputIsInput, .profile, .inputByteStream, .inputContainer, .inputFrameRate, .filter,
            .encoderOptions:
            .usage
        case .inputNotFound, .inputPermission, .inputOpen, .inputConnection, .inputNotAFile, .inputEmpty,
            .inputNotMedia, .inputNoIndex,
            .inputBadIndex,
            .inputNoVideo, .inputNoAudio, .inputNoSubtitles, .inputEncoding, .inputNoFrames, .inputNoPicture,
            .inputSeek, .inputUnreadable, .inputChanged, .inputPipe, .inputNotStreamable,
            .inputRecord, .inputAccessUnit, .inputParameterSets, .sessionBadData,
            .sessionReferenceMissing, .cameraNotFound, .cameraPermission, .cameraBusy, .cameraUnusable,
            .microphoneUnusable:
            .input
        case .videoPosition, .audioSelection, .subtitleSelection, .dataSelection, .attachmentSelection, .rangeEmpty,
            .inputCodec, .inputProtocol, .inputDiffers, .inputDolbyVision, .inputEncrypted, .inputNoTimestamps,
            .audioCodec, .audioContainer, .audioEncoder, .subtitleCodec, .ladder, .encoderMissing, .encoderProfile,
            .pixelFormat, .size, .crop, .telecine, .compareShape, .outputForeignCodec, .outputEditList, .outputProtocol,
            .parameterSetsChange,
            .targetMetric, .targetUnreachable, .sessionUnsupportedFormat, .forbiddenDowngrade, .cameraFormat:
            .unsupported
        case .hardwareDevice, .hardwareNone, .hardwareOpen, .hardwareRequired, .hardwareFault, .hardwareTrial,
            .doctorHardware, .sessionHardwareMalfunction:
            .hardware
        case .verificationUnreadable, .verificationStreams, .verificationFrames, .verificationTimestamps,
            .verificationDuration, .verificationCodec, .verificationSize, .verificationPixelFormat,
            .verificationColor, .verificationHDRMetadata, .verificationRotation, .verificationUndecodable,
            .verificationDamaged, .verificationContent, .verificationUnits, .verificationAlignment, .trialPictures:
            .verification
        case .outputTooLarge: .size
        case .outputExists, .outputNotAFile, .outputBusy, .outputNotFound, .outputPermission, .outputNoSpace,
            .outputNameTooLong, .outputWrite, .outputNotReplaced, .outputConnection, .outputPipe, .outputReader:
            .output
        case .journalMismatch, .journalNone, .segmentUnusable: .journal
        case .cameraUnplugged, .cameraTimeout, .cameraFailed, .inputLost: .capture
        case .forbiddenFallback: .fallback
        case .interrupted: .interrupted
        case .terminated: .terminated
        case .internal, .system, .software, .workerStart, .workerCrashed, .workerKilled, .doctorSoftware, .trialClip,
            .sessionNoSuchDecoder, .sessionNoSuchEncoder, .sessionNotAvailableNow, .sessionInvalidSession,
            .sessionBadParameter, .sessionAllocationFailed, .sessionPropertyNotSupported, .sessionPropertyReadOnly,
            .sessionOutputNotRead:
            .internal
        }
    }

    /// Creates the kind of a session's error from its code.
    package init(_ code: SessionError.Code) { self = ErrorKind(rawValue: "session.\(code.rawValue)") ?? .internal }
}
