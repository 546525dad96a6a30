import VTXMedia
import VTXTask
import VTXTranscode

extension OptionGroup where Settings == TranscodeSettings {
    static let picture = OptionGroup(
        "Picture",
        [
            .optional(
                "size", .size, into: \.request.size,
                "The output's width and height in pixels. By default the source's. Of 1280x and x720 the other side "
                    + "follows from the picture's shape."),
            .optional(
                "max-size", .maxSize, into: \.request.size,
                "The largest width and height. A larger picture is scaled down, and keeps its shape; a smaller one "
                    + "stays as it is."),
            .value(
                "scaling", .choice("MODE"), into: \.request.scaling,
                "What to do when --size WxH has another shape than the picture. letterbox adds black, trim cuts "
                    + "off what sticks out, fill stretches."),
            .optional(
                "fps", .frameRate, into: \.request.frameRate,
                "The output's frame rate. By default each frame keeps its own time."),
            .value(
                "deinterlace", .choice("WHEN"), into: \.request.deinterlace,
                "Which frames to deinterlace: auto takes those that say they are interlaced, on takes all."),
            .value(
                "hdr", .choice("RANGE"), into: \.request.dynamicRange,
                "What to do with HDR (PQ and HLG): keep it, or make sdr of it, which takes 8 bits and BT.709's "
                    + "colours and plays everywhere."),
            .flag(
                "bake-rotation", sets: \.request.rotatesPixels, to: true,
                "Turn the pixels themselves, instead of telling the player to turn the picture."),
        ])

    static let hardware = OptionGroup(
        "Hardware",
        [
            .value(
                "hw", .choice("POLICY"), into: \.request.hardware,
                "Whether to use a GPU. auto does where one can do the job, and uses software elsewhere; require "
                    + "fails where software would have to do a part; off does not even look for one."),
            .value(
                "device", .device, into: \.request.device,
                "The GPU to use: auto, a render node such as /dev/dri/renderD128, pci:ADDRESS, or vendor: with a name or "
                    + "a number."),
            .value(
                "low-power", .choice("MODE"), into: \.request.hardwareEncoder.lowPower,
                "Which of the GPU's encoders to use. on is the fixed, low-power one, and off the programmable one; auto "
                    + "prefers the programmable one."),
            .optional(
                "async-depth", .count(from: 1, to: 64), into: \.request.hardwareEncoder.asyncDepth,
                "How many frames the GPU encodes at one time. By default 4."),
            .optional(
                "b-depth", .count(from: 1, to: 3), into: \.request.hardwareEncoder.bFrameDepth,
                "How many levels of B frames the GPU's encoder uses; from 2 on, B frames refer to B frames. By default "
                    + "1, and no B frames for low-power HEVC on Intel's GPUs, whose driver is known to break them."),
            .flag(
                "fail-on-fallback", sets: \.request.forbidsFallbacks, to: true,
                "Where software would have to do what a GPU was to do, end with exit code 10 and without an output."),
        ])
}
