import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// The number of segments that are encoded in parallel, and the threads of each encoder. Pure.
struct ParallelChoice: Sendable, Hashable {
    /// 1 if the video is not divided.
    var lanes = 1
    /// The number of threads of each encoder; nil leaves it to the encoders.
    var threads: Int?
    /// The device of each lane if GPUs encode; otherwise empty.
    var devices: [DeviceID] = []
    var reason: Message

    /// The inputs of the choice.
    struct Work: Sendable, Hashable {
        var codec: VideoCodec
        var preset = EncoderPreset.balanced
        var size: PixelSize
        /// The estimated number of segments in the source; nil if neither its duration nor its key frames are known.
        var segments: Int?
        /// The GPUs that encode, best first; empty for software.
        var gpus: [DeviceID] = []
        /// The software device that encodes; nil if it cannot or may not.
        var software: DeviceID?
        /// Whether the encoders of other renditions use the same cores.
        var isRendition = false
        /// Why there is only one lane.
        var obstacle: Message?

        /// Whether one software encoder can use all cores. SVT-AV1 chooses its own threads.
        fileprivate func fitsOneEncoder(on machine: Machine) -> Bool {
            gpus.isEmpty && codec != .av1 && !isRendition && VideoEncoding.busyCores(at: size) >= machine.cores
        }
    }

    /// The estimated number of frames that an encoder and the preceding stages hold, with lookahead and references, in
    /// frames of 12 bits per pixel.
    private static func framesHeld(_ codec: VideoCodec, _ preset: EncoderPreset) -> Int64 {
        switch (codec, preset) {
        case (.h264, .fast): 60
        case (.h264, .balanced): 120
        case (.h264, .quality): 170
        case (.hevc, .fast): 90
        case (.hevc, .balanced): 150
        case (.hevc, .quality): 200
        // One of its encoders at a time.
        case (.av1, _): 250
        }
    }

    /// The fraction of the free memory that all lanes together may use.
    private static let memoryShare = 0.5

    /// The number of segments per lane below which the end of the video, where some lanes are idle, takes a significant
    /// part of the time.
    private static let fewRounds = 8

    /// Frames that x264 encodes at a time, and the height from which it does. The more, the less they wait, and the
    /// shorter are its motion vectors: with six they reach 30 lines at 480p, and 80 at 1080p. Below, they cost bits.
    private static let (framesOfX264, linesOfX264) = (6, 480)

    static func choose(_ request: ParallelRequest, _ work: Work, on machine: Machine) -> ParallelChoice {
        if request == .count(1) || request == .auto, work.fitsOneEncoder(on: machine) {
            return onePipeline(work, on: machine)
        }
        if request == .count(1) { return ParallelChoice(reason: "requested") }
        if let obstacle = work.obstacle { return ParallelChoice(reason: obstacle) }
        if let segments = work.segments, segments < 2 {
            return ParallelChoice(
                reason: "no two key frames of the source are \(ParallelRequest.segmentSeconds) s apart")
        }
        if !work.gpus.isEmpty { return onGPUs(request, work, on: machine) }
        let most = work.segments ?? .max
        switch request {
        case .count(let count, let more):
            let reason: Message = count + more > most ? "the source has no more" : "requested"
            return lanes(min(count + more, most), of: most, on: machine, because: reason)
        case .auto: return auto(work, most, on: machine)
        }
    }

    /// Assigns lanes to GPUs in turn. A driver does not report the number of engines; two lanes keep two of them busy.
    private static func onGPUs(_ request: ParallelRequest, _ work: Work, on machine: Machine) -> ParallelChoice {
        var (count, more, reason): (Int, Int, Message) = (2 * work.gpus.count, 0, "two for each GPU")
        if case .count(let number, let software) = request { (count, more, reason) = (number, software, "requested") }
        if more > 0, work.software == nil { (more, reason) = (0, "only GPUs encode this") }
        let gpus = (0..<count).map { work.gpus[$0 % work.gpus.count] }
        let all = gpus + Array(repeating: work.software, count: more).compactMap(\.self)
        if let most = work.segments, most < all.count { reason = "the source has no more" }
        let devices = Array(all.prefix(work.segments ?? .max))
        guard devices.count > 1 else { return ParallelChoice(reason: reason) }
        let threads = more > 0 ? max(1, machine.cores / more) : nil
        return ParallelChoice(lanes: devices.count, threads: threads, devices: devices, reason: reason)
    }

    /// The number of encoders that together keep all cores busy.
    private static func auto(_ work: Work, _ most: Int, on machine: Machine) -> ParallelChoice {
        let busy = VideoEncoding.busyCores(at: work.size)
        let wanted = (machine.cores + busy - 1) / busy
        let byMemory = max(1, Int(Double(machine.memory) * memoryShare / Double(byteCount(of: work))))
        if wanted <= min(most, byMemory) {
            return lanes(
                wanted, of: most, on: machine, because: "at \(work.size) one encoder keeps about \(busy) cores busy")
        }
        let reason: Message = byMemory < most ? "there is not enough free memory for more" : "the source has no more"
        return lanes(min(most, byMemory), of: most, on: machine, because: reason)
    }

    /// One encoder that uses all cores, with far less memory than two. On two or three cores, x264 by default works on so
    /// few frames at a time that they wait for each other, and x265 on one.
    private static func onePipeline(_ work: Work, on machine: Machine) -> ParallelChoice {
        let ofX264 = work.size.height < linesOfX264 ? nil : framesOfX264
        let threads = work.codec == .h264 ? ofX264 : machine.cores
        return ParallelChoice(
            threads: (2...3).contains(machine.cores) ? threads : nil, reason: "one encoder keeps all cores busy")
    }

    /// Uses all cores. In a short video, the encoders that run last also use the cores of the others.
    private static func lanes(
        _ count: Int, of segments: Int, on machine: Machine, because reason: Message
    ) -> ParallelChoice {
        guard count > 1 else { return ParallelChoice(reason: reason) }
        let share = max(1, (machine.cores + count - 1) / count)
        let threads = segments / count < fewRounds ? min(2 * share, machine.cores) : share
        return ParallelChoice(lanes: count, threads: threads, reason: reason)
    }

    private static func byteCount(of work: Work) -> Int64 {
        framesHeld(work.codec, work.preset) * Int64(work.size.width * work.size.height) * 3 / 2
    }
}

extension ParallelChoice {
    /// Decides, and notes the decision if it was requested.
    static func choose(
        _ transcode: TranscodeRequest, _ video: VideoEncoding, _ source: Source, _ device: DeviceChoice,
        seconds: Double?, _ notes: inout PlanNotes
    ) -> ParallelChoice {
        let request = transcode.parallelism
        let encoder = video.encoder
        var work = Work(
            // A preset of the encoder's own may hold as many frames as the slowest of vtx.
            codec: encoder.codec, preset: encoder.presetName == nil ? encoder.preset : .quality, size: encoder.size,
            segments: segments(of: source, seconds: seconds), isRendition: transcode.ladder != nil,
            obstacle: obstacle(video, source, device))
        let able = device.able(encoder)
        work.gpus = device.matrix.isHardware ? able.hardware.map(\.matrix.device) : []
        work.software = able.first { !$0.matrix.isHardware }?.matrix.device
        let choice = choose(request, work, on: .here)
        guard request != .standard else { return choice }
        notes.decide(
            "parallel",
            "\(counted(choice.lanes, "segment", "segments"))\(choice.details(able))\(choice.losses(of: encoder, able))",
            because: choice.reason)
        if case .count(let count, let more) = request, choice.lanes < count + more {
            notes.note(
                .parallelReduced,
                "\(counted(choice.lanes, "part", "parts")) of the video in parallel instead of \(count + more): "
                    + "\(choice.reason)"
            )
        }
        return choice
    }

    /// Returns the number of threads, or the devices.
    private func details(_ candidates: [DeviceCandidate]) -> String {
        guard !devices.isEmpty else {
            return threads.map { " with \(counted($0, "thread", "threads"))\(lanes > 1 ? " each" : "")" } ?? ""
        }
        let parts = candidates.compactMap { candidate in
            let count = devices.count { $0 == candidate.matrix.device }
            return count > 0 ? "\(count) on \(candidate.matrix.deviceName)" : nil
        }
        return ": " + parts.joined(separator: ", ")
    }

    /// Returns what depends on more than one segment.
    private static func obstacle(_ video: VideoEncoding, _ source: Source, _ device: DeviceChoice) -> Message? {
        if device.gpu != nil, !device.matrix.isHardware { return "a GPU runs some stages of the software encode" }
        // Two of its encoders in one process crash.
        if video.encoder.codec == .av1 {
            return device.matrix.isHardware
                ? "software, the fallback of a GPU, encodes one AV1 video at a time"
                : "SVT-AV1 uses all cores by itself"
        }
        return obstacle(video, source)
    }

    /// The same for segments encoded anywhere.
    static func obstacle(_ video: VideoEncoding, _ source: Source) -> Message? {
        guard case .quality(_, nil) = video.encoder.rateControl else {
            return "a bit rate is kept over the whole video"
        }
        if video.filter.frameRate != nil { return "the frame rate is converted" }
        if video.filter.isDeinterlacing(source.sample.shape) { return "frames are deinterlaced" }
        if video.filter.custom != nil { return "filters may depend on all frames" }
        if video.filter.denoising != nil { return "denoising depends on the previous frames" }
        return source.countsFrames ? "the source has no timestamps" : nil
    }

    /// Returns the expected number of segments.
    private static func segments(of source: Source, seconds: Double?) -> Int? {
        let byLength = seconds.map { max(1, Int($0 / Double(ParallelRequest.segmentSeconds))) }
        guard let keyFrames = source.indexedKeyFrames(seconds: seconds), let first = keyFrames.first else {
            return byLength
        }
        let distance = MediaTime(seconds: Double(ParallelRequest.segmentSeconds)).rescaled(to: source.video.timeBase)
            .ticks
        var (count, start) = (1, first)
        for time in keyFrames where time - start >= distance { (count, start) = (count + 1, time) }
        return min(count, byLength ?? count)
    }
}

extension DeviceChoice {
    /// Returns the candidates that support the encoder, the chosen one first.
    fileprivate func able(_ encoder: EncoderConfiguration) -> [DeviceCandidate] {
        all.filter {
            let row = $0.matrix.encoder(encoder.codec, encoder.profile)
            return row?.holds(encoder.size) ?? false && row?.input(like: encoder.pixelFormat) != nil
        }
    }
}
