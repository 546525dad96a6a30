import VTXMedia

extension OptionCatalogue {
    static let coding: [RequestOption] = [
        .optional(
            .codec, in: .coding, .choice("CODEC"), into: \.codec,
            "Video codec: hevc (H.265), h264 (AVC) or av1. By default HEVC where a GPU here encodes it, otherwise H.264."
        ),
        .optional(
            .quality, in: .coding, .quality, into: \.quality,
            "Constant quality, from 0 (worst) to 100 (transparent). The CRF is 51 - 0.4 N for H.264, 54 - 0.4 N for HEVC (at most 51) and 86 - 0.8 N for AV1 (at most 63): 70 is 23, 26 and 30. Ten more make the file about 1.6 times as large. Without \(option: .bitrate) it is 70."
        ),
        .optional(
            .target, in: .coding, .target, into: \.target,
            "Measured quality of the output, as ssim=0.985, psnr=42, xpsnr=40 (FFmpeg 7.1 or later) or vmaf=95 (if FFmpeg is built with libvmaf). Samples from all over the source are encoded and compared with it, to find the lowest \(option: .quality) whose mean reaches the target; with \(option: .parallel), one for each part."
        ),
        .optional(
            .targetSize, in: .coding, .byteCount(from: "10k", to: "1000G"), into: \.targetSize,
            "Size of the output file, such as 25M; k, M and G are powers of 1000. H.264 and HEVC in software take two passes; GPUs and AV1 encode, measure and correct. Keeps no journal, so a killed run starts over."
        ),
        .optional(
            .bitrate, in: .coding, .bitrate(from: "1k", to: "1G"), into: \.bitrate,
            "Average bit rate in bits per second, such as 5M; k, M and G are powers of 1000."
        ),
        .flag(
            .twoPass, in: .coding, into: \.usesTwoPasses,
            "Encode in two passes, H.264 or HEVC in software: the first measures the pictures, the second distributes the bits of \(option: .bitrate) over them. More even quality, an exact average, and about twice the time. Keeps no journal, so a killed run starts over."
        ),
        .optional(
            .maxBitrate, in: .coding, .bitrate(from: "1k", to: "1G"), into: \.maxBitrate,
            "Maximum bit rate over any one second, with \(option: .quality) or \(option: .bitrate). The average is kept below 0.7 of it, to leave room for key frames."
        ),
        preset,
        .optional(
            .tune, in: .coding, .choice("CONTENT"), into: \.tuning,
            "Tune the encoder to the content. x264 (H.264) has all of these, x265 (HEVC) animation and grain, SVT-AV1 none. Only software encoders can be tuned."
        ),
        .optional(
            .encoderOptions, in: .coding, .encoderOptions, into: \.encoderOptions,
            "Options of the software encoder under its own names, as x264, x265 and SVT-AV1 document them: aq-mode=3:psy-rd=1.5. Only those that affect the picture are accepted; rates and key frames have options of their own here. GPUs have none."
        ),
        profile,
        .optional(
            .bitDepth, in: .coding, .bitDepth, into: \.bitDepth,
            "Bits of each sample of HEVC and AV1: 10 compress a little better than 8, also from a source of 8 bits. By default the source's. H.264 has 8."
        ),
        .optional(
            .keyFrameInterval, in: .coding, .keyFrameInterval, into: \.keyFrameInterval,
            "Maximum distance between key frames: in frames (120), in seconds (5s), or whichever comes first (120,5s). By default 10s."
        ),
        .flag(.bFrames, in: .coding, into: \.allowsBFrames, "Whether to encode B frames."),
        .value(
            .parallel, in: .coding, .parallelism, into: \.parallelism,
            "Number of parts of the video to encode at the same time; they become one output. 2+1 encodes two on GPUs and one in software. auto chooses by the GPUs, or by the machine's cores and memory. Parts begin at key frames of the source, at least \(ParallelRequest.segmentSeconds) s apart."
        ),
        .value(
            .segments, in: .coding, .segments, into: \.segments,
            "Number of segments that the workers of a cluster encode side by side. auto, the default in a cluster, is \(SegmentsRequest.standardCount) for a video of \(SegmentsRequest.minSeconds / 60) minutes or more and 1 for a shorter one. A single host always has 1."
        ),
    ]

    /// `main` means the profile of the requested codec.
    private static let profile = RequestOption(
        name: .profile, group: .coding, value: ValueType.profile.description,
        help:
            "Codec profile. H.264 has baseline, main, high, high10, high422 and high444; HEVC has main, main10, main422-10, main444-8 and main444-10; AV1 has main.",
        defaultText: nil,
        set: { name, request in
            guard ValueType.profile.read(name) != nil else { return false }
            request.profileName = name
            return true
        }, text: \.profileName)

    /// A speed, or an encoder's own name in its place.
    private static let preset = RequestOption(
        name: .preset, group: .coding, value: ValueType.encoderPreset.description,
        help:
            "Encoding speed: fast encodes faster, quality makes smaller files at the same quality; balanced is between them. Or a preset of the software encoder: ultrafast, superfast, veryfast, faster, medium, slow, slower, veryslow or placebo of x264 and x265, or 0 (slow) to 13 (fast) of SVT-AV1.",
        defaultText: EncoderPreset.balanced.rawValue,
        set: { text, request in
            guard ValueType.encoderPreset.read(text) != nil else { return false }
            let speed = EncoderPreset(rawValue: text)
            (request.preset, request.encoderPreset) = (speed ?? .balanced, speed == nil ? text : nil)
            return true
        },
        text: { $0.encoderPreset ?? ($0.preset == .balanced ? nil : $0.preset.rawValue) })

    /// Both sizes are one property of a request.
    private static func size(
        _ name: OptionName, _ type: ValueType<SizeRequest>, isLimit: Bool, _ help: Message
    ) -> RequestOption {
        RequestOption(
            name: name, group: .picture, value: type.description, help: help, defaultText: nil,
            set: { text, request in
                guard let size = type.read(text) else { return false }
                request.size = size
                return true
            },
            text: { $0.size.flatMap { $0.isLimit == isLimit ? type.write($0) : nil } })
    }

    static let picture: [RequestOption] = [
        .optional(
            .crop, in: .picture, .crop, into: \.crop,
            "Crop the picture: auto removes black bars; WxH+X+Y keeps a rectangle X pixels from the left and Y from the top of the picture as players show it."
        ),
        .value(
            .rotate, in: .picture, .rotation, into: \.rotation,
            "Rotate the picture clockwise, starting from how players show the source."),
        .optional(
            .flip, in: .picture, .choice("AXIS"), into: \.flip,
            "Mirror the picture: horizontal swaps left and right, vertical swaps top and bottom. Applied after \(option: .rotate)."
        ),
        size(
            .size, .size, isLimit: false,
            "Output width and height in pixels, by default the source's. With 1280x or x720 the other side follows from the aspect ratio."
        ),
        size(
            .maxSize, .maxSize, isLimit: true,
            "Maximum width and height. Larger pictures are scaled down and keep their aspect ratio; smaller ones stay as they are."
        ),
        .value(
            .scaling, in: .picture, .choice("MODE"), into: \.scaling,
            "How to fit the picture into \(option: .size, "WxH") where the aspect ratios differ: letterbox adds black bars, trim crops, fill stretches."
        ),
        .optional(
            .frameRate, in: .picture, .frameRate, into: \.frameRate,
            "Output frame rate. By default each frame keeps its timestamp."),
        .value(
            .deinterlace, in: .picture, .choice("WHEN"), into: \.deinterlace,
            "Which frames to deinterlace: auto those marked as interlaced, on all, off none. field makes a frame of each field: 25 frames a second become 50. telecine removes 3:2 pulldown: 29.97 frames a second become 23.976, in software."
        ),
        .optional(
            .filter, in: .picture, .filters, into: \.filters,
            "A libavfilter chain, as for ffmpeg's -vf: hue=s=0. It gets the picture as shown, after cropping and rotation and before \(option: .size). Runs in software, and keeps no journal. Not available in the service."
        ),
        .optional(
            .burnSubtitles, in: .picture, .drawnSubtitles, into: \.drawnSubtitles,
            "Burn subtitles into the picture. WHICH is the position of a stream, counted from 0, or its language, and that stream is left out; or another file, such as movie.srt, with times from the start of the source. Text keeps its styles and uses the fonts attached to the file; bitmaps (PGS, VobSub, DVB) are scaled with the picture. Runs in software."
        ),
        .optional(
            .denoise, in: .picture, .choice("STRENGTH"), into: \.denoising,
            "Reduce noise and grain, which also saves bits. Runs on a GPU if its driver has the filter, else in software (hqdn3d)."
        ),
        .optional(
            .sharpen, in: .picture, .choice("STRENGTH"), into: \.sharpening,
            "Sharpen the picture. Runs on a GPU if its driver has the filter, else in software after scaling (unsharp)."
        ),
        .value(
            .dynamicRange, in: .picture, .choice("RANGE"), into: \.dynamicRange,
            "What to do with HDR (PQ and HLG): keep it, or convert it to sdr (8 bits, BT.709), which plays everywhere."
        ),
        .flag(
            .rotatePixels, in: .picture, into: \.rotatesPixels,
            "Rotate the pixels instead of storing the rotation in the container."),
    ]

    static let hardware: [RequestOption] = [
        .value(
            .hardware, in: .hardware, .choice("POLICY"), into: \.hardware,
            "Use of GPUs. auto uses one where it can do the job, and software elsewhere; require fails if any stage would run in software; off uses none."
        ),
        .value(
            .device, in: .hardware, .device, into: \.device,
            "GPU to use: auto, a render node such as /dev/dri/renderD128, pci:ADDRESS, or vendor: followed by a name or a number."
        ),
        .value(
            .lowPower, in: .hardware, .choice("MODE"), into: \.hardwareEncoder.lowPower,
            "Which of the GPU's encoders to use: on is the fixed-function, low-power one, off the programmable one. auto prefers the programmable one."
        ),
        .optional(
            .asyncDepth, in: .hardware, .count(from: 1, to: 64), into: \.hardwareEncoder.asyncDepth,
            "Number of frames that the GPU encodes at the same time. By default 4."),
        .optional(
            .bDepth, in: .hardware, .count(from: 1, to: 3), into: \.hardwareEncoder.bFrameDepth,
            "Levels of B frames on GPUs; from 2 on, B frames are references for others. By default 1, and no B frames for low-power HEVC on Intel GPUs, whose driver is known to break them."
        ),
        .flag(
            .failOnFallback, in: .hardware, into: \.forbidsFallbacks,
            "Fail, without an output, instead of falling back to software."),
    ]
}
