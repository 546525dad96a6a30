import VTXMedia

extension OptionCatalogue {
    static let coding: [RequestOption] = [
        .optional(
            .codec, in: .coding, .choice("CODEC"), into: \.codec,
            "What to encode: hevc (H.265), h264 (AVC) or av1. By default HEVC where hardware can, else H.264."),
        .optional(
            .quality, in: .coding, .quality, into: \.quality,
            "Constant quality, from 0 (worst) to 100 (transparent). The CRF is 51 - 0.4 N for H.264, 54 - 0.4 N, at most 51, for HEVC, and 86 - 0.8 N, at most 63, for AV1: 70 is 23, 26 and 30. A step of 10 is about 1.6 times the size. Without \(option: .bitrate) it is 70."
        ),
        .optional(
            .target, in: .coding, .target, into: \.target,
            "In place of a quality: how like the source the pictures are to be, as ssim=0.985, psnr=42 or xpsnr=40. Samples from all over the source are encoded and measured, until the lowest quality is found that reaches it in the mean."
        ),
        .optional(
            .targetSize, in: .coding, .byteCount(from: "10k", to: "1000G"), into: \.targetSize,
            "In place of a quality and a bit rate: how many bytes the whole output may take, such as 25M; k, M and G count in thousands. H.264 and HEVC in software take two passes; GPUs and AV1 are measured and corrected. No journal is kept."
        ),
        .optional(
            .bitrate, in: .coding, .bitrate(from: "1k", to: "1G"), into: \.bitrate,
            "Average bits per second, in place of a quality; k, M and G count in thousands."
        ),
        .optional(
            .maxBitrate, in: .coding, .bitrate(from: "1k", to: "1G"), into: \.maxBitrate,
            "The most bits that any one second may take, wherever it begins, with \(option: .quality) or \(option: .bitrate). The average stays below 0.7 of it, since key frames need the rest."
        ),
        .value(
            .preset, in: .coding, .choice("PRESET"), into: \.preset, "How much time the encoder may spend on a frame."
        ),
        .optional(
            .tune, in: .coding, .choice("CONTENT"), into: \.tuning,
            "What the pictures are like. x264 (H.264) is tuned to any of these, x265 (HEVC) to animation and grain, AV1 to none. No GPU is tuned: software encodes then."
        ),
        .optional(
            .encoderOptions, in: .coding, .encoderOptions, into: \.encoderOptions,
            "Options of the encoder under its own names, as x264, x265 and SVT-AV1 document them: aq-mode=3:psy-rd=1.5. Those about the picture are taken; what vtx has options for, such as key frames and rates, is not. No GPU has any: software encodes then."
        ),
        profile,
        .optional(
            .keyFrameInterval, in: .coding, .keyFrameInterval, into: \.keyFrameInterval,
            "The longest way from one key frame to the next, in frames (120), seconds (5s) or whichever comes first (120,5s). By default 5s."
        ),
        .flag(.bFrames, in: .coding, into: \.allowsBFrames, "Whether to encode B frames."),
        .value(
            .parallel, in: .coding, .parallelism, into: \.parallelism,
            "How many parts of the video to encode at one time; they become one output. GPUs take turns at them, and 2+1 has software encode one more beside two on GPUs. auto follows the GPUs, or the machine's cores and memory. Parts begin at key frames of the source that are \(ParallelRequest.segmentSeconds) s apart, at least."
        ),
        .value(
            .segments, in: .coding, .segments, into: \.segments,
            "Into how many segments a cluster cuts the video; its workers encode them side by side, and one joins them. auto is \(SegmentsRequest.standardCount) for a video of \(SegmentsRequest.minSeconds / 60) minutes or more, and 1 for others. Jobs of a cluster have auto, where nothing is said; on one host nothing is cut."
        ),
    ]

    /// `main` means the profile of the codec that was asked for.
    private static let profile = RequestOption(
        name: .profile, group: .coding, value: ValueType.profile.description,
        help:
            "The codec's profile. H.264 has baseline, main, high, high10, high422 and high444; HEVC has main, main10, main422-10, main444-8 and main444-10; AV1 has main.",
        defaultText: nil,
        read: { name, request in
            guard ValueType.profile.read(name) != nil else { return false }
            request.profileName = name
            return true
        }, text: \.profileName)

    /// Both sizes are one property of a request.
    private static func size(
        _ name: OptionName, _ type: ValueType<SizeRequest>, isLimit: Bool, _ help: Message
    ) -> RequestOption {
        RequestOption(
            name: name, group: .picture, value: type.description, help: help, defaultText: nil,
            read: { text, request in
                guard let size = type.read(text) else { return false }
                request.size = size
                return true
            },
            text: { $0.size.flatMap { $0.isLimit == isLimit ? type.write($0) : nil } })
    }

    static let picture: [RequestOption] = [
        .optional(
            .crop, in: .picture, .crop, into: \.crop,
            "What to keep of the picture: auto cuts off black bars, and WxH+X+Y keeps a part of this size that begins X pixels from the left and Y from the top, as the source is shown."
        ),
        .value(
            .rotate, in: .picture, .rotation, into: \.rotation,
            "Turn the picture clockwise, in its pixels. It begins with the source as players show it."),
        .optional(
            .flip, in: .picture, .choice("AXIS"), into: \.flip,
            "Mirror the picture, in its pixels: horizontal swaps left and right, vertical swaps top and bottom. \(option: .rotate) goes before it."
        ),
        size(
            .size, .size, isLimit: false,
            "The output's width and height in pixels. By default the source's. Of 1280x and x720 the other side follows from the picture's shape."
        ),
        size(
            .maxSize, .maxSize, isLimit: true,
            "The largest width and height. A larger picture is scaled down, and keeps its shape; a smaller one stays as it is."
        ),
        .value(
            .scaling, in: .picture, .choice("MODE"), into: \.scaling,
            "What to do when \(option: .size, "WxH") has another shape than the picture. letterbox adds black, trim cuts off what sticks out, fill stretches."
        ),
        .optional(
            .frameRate, in: .picture, .frameRate, into: \.frameRate,
            "The output's frame rate. By default each frame keeps its own time."),
        .value(
            .deinterlace, in: .picture, .choice("WHEN"), into: \.deinterlace,
            "Which frames to deinterlace: auto takes those that say they are interlaced, on takes all. field makes a frame of each field: 50 a second of 25. telecine undoes 3:2 pulldown, for cinema in NTSC video: 23.976 frames a second of 29.97; software does it."
        ),
        .optional(
            .filter, in: .picture, .filters, into: \.filters,
            "Filters of libavfilter, as ffmpeg's -vf takes them, such as hue=s=0. They get pictures as they are shown, cropped and turned, before \(option: .size). Software does them, and keeps no journal. For the command alone: a service refuses it."
        ),
        .optional(
            .burnSubtitles, in: .picture, .stream, into: \.drawnSubtitles,
            "Draw a subtitle stream of the source into the pictures, by its position, counted from 0, or its language: for players that show none. Subtitles that are text, with their styles and the fonts attached to the file. Software does it; the stream itself is left out."
        ),
        .optional(
            .denoise, in: .picture, .choice("STRENGTH"), into: \.denoising,
            "Take noise and grain out of the picture, which then takes fewer bits. Software does it (hqdn3d)."),
        .optional(
            .sharpen, in: .picture, .choice("STRENGTH"), into: \.sharpening,
            "Sharpen the picture, after it has been scaled. Software does it (unsharp)."),
        .value(
            .dynamicRange, in: .picture, .choice("RANGE"), into: \.dynamicRange,
            "What to do with HDR (PQ and HLG): keep it, or make sdr of it, which takes 8 bits and BT.709's colors and plays everywhere."
        ),
        .flag(
            .rotatePixels, in: .picture, into: \.rotatesPixels,
            "Turn the pixels themselves, instead of telling the player to turn the picture."),
    ]

    static let hardware: [RequestOption] = [
        .value(
            .hardware, in: .hardware, .choice("POLICY"), into: \.hardware,
            "Whether to use a GPU. auto does where one can do the job, and uses software elsewhere; require fails where software would have to do a part; off does not even look for one."
        ),
        .value(
            .device, in: .hardware, .device, into: \.device,
            "The GPU to use: auto, a render node such as /dev/dri/renderD128, pci:ADDRESS, or vendor: with a name or a number."
        ),
        .value(
            .lowPower, in: .hardware, .choice("MODE"), into: \.hardwareEncoder.lowPower,
            "Which of the GPU's encoders to use. on is the fixed, low-power one, and off the programmable one; auto prefers the programmable one."
        ),
        .optional(
            .asyncDepth, in: .hardware, .count(from: 1, to: 64), into: \.hardwareEncoder.asyncDepth,
            "How many frames the GPU encodes at one time. By default 4."),
        .optional(
            .bDepth, in: .hardware, .count(from: 1, to: 3), into: \.hardwareEncoder.bFrameDepth,
            "How many levels of B frames the GPU's encoder uses; from 2 on, B frames refer to B frames. By default 1, and no B frames for low-power HEVC on Intel's GPUs, whose driver is known to break them."
        ),
        .flag(
            .failOnFallback, in: .hardware, into: \.forbidsFallbacks,
            "Where software would have to do what a GPU was to do, end with an error and without an output."),
    ]
}
