import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// How many segments of the video are encoded at one time, and with how many threads each. Pure.
struct ParallelChoice: Sendable, Hashable {
    /// 1 where the video is not cut.
    var lanes = 1
    /// Of each encoder; nil leaves them to the encoder.
    var threads: Int?
    /// The device of each lane, where a GPU encodes; else empty.
    var devices: [DeviceID] = []
    var reason: Message

    /// What the choice depends on.
    struct Work: Sendable, Hashable {
        var codec: VideoCodec
        var preset = EncoderPreset.balanced
        var size: PixelSize
        /// That the source has as far as it is known; nil where neither its length nor its key frames are.
        var segments: Int?
        /// Those that encode it, the best first; none where software does.
        var gpus: [DeviceID] = []
        /// What encodes it in software; nil where nothing does, or may.
        var software: DeviceID?
        /// Why one pipeline does all.
        var obstacle: Message?
    }

    /// Frames that an encoder and the stages before it hold, with all that is computed of each, in frames of 12 bits a
    /// pixel: an estimate, from what lookahead and references take.
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

    /// Of the memory that is free, what all lanes together may take.
    private static let memoryShare = 0.5

    /// Segments of each lane below which the end of a video, where not every lane has work, is a large part of it.
    private static let fewRounds = 8

    static func choose(_ request: ParallelRequest, _ work: Work, on machine: Machine) -> ParallelChoice {
        if request == .count(1) { return ParallelChoice(reason: "asked for") }
        if let obstacle = work.obstacle { return ParallelChoice(reason: obstacle) }
        if let segments = work.segments, segments < 2 {
            return ParallelChoice(
                reason: "the source has no two key frames that are \(ParallelRequest.segmentSeconds) s apart")
        }
        if !work.gpus.isEmpty { return onGPUs(request, work, on: machine) }
        let most = work.segments ?? .max
        switch request {
        case .count(let count, let more):
            let reason: Message = count + more > most ? "the source has no more" : "asked for"
            return lanes(min(count + more, most), of: most, on: machine, because: reason)
        case .auto: return auto(work, most, on: machine)
        }
    }

    /// GPUs take turns; a driver does not say how many engines its GPU has, and two lanes keep two of them busy.
    private static func onGPUs(_ request: ParallelRequest, _ work: Work, on machine: Machine) -> ParallelChoice {
        var (count, more, reason): (Int, Int, Message) = (2 * work.gpus.count, 0, "two for each GPU")
        if case .count(let number, let software) = request { (count, more, reason) = (number, software, "asked for") }
        if more > 0, work.software == nil { (more, reason) = (0, "GPUs alone encode this") }
        let gpus = (0..<count).map { work.gpus[$0 % work.gpus.count] }
        let all = gpus + Array(repeating: work.software, count: more).compactMap(\.self)
        if let most = work.segments, most < all.count { reason = "the source has no more" }
        let devices = Array(all.prefix(work.segments ?? .max))
        guard devices.count > 1 else { return ParallelChoice(reason: reason) }
        let threads = more > 0 ? max(1, machine.cores / more) : nil
        return ParallelChoice(lanes: devices.count, threads: threads, devices: devices, reason: reason)
    }

    private static func auto(_ work: Work, _ most: Int, on machine: Machine) -> ParallelChoice {
        let byMemory = max(1, Int(Double(machine.memory) * memoryShare / Double(byteCount(of: work))))
        if machine.cores <= min(most, byMemory) {
            return lanes(machine.cores, of: most, on: machine, because: "one for each core")
        }
        let reason: Message = byMemory < most ? "memory for more is not free" : "the source has no more"
        return lanes(min(most, byMemory), of: most, on: machine, because: reason)
    }

    /// All cores have work. In a short video the encoders that are left at its end have the others' cores too.
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
    /// Decides, and says so where it was asked for.
    static func choose(
        _ request: ParallelRequest, _ video: VideoEncoding, _ source: Source, _ device: DeviceChoice,
        seconds: Double?, _ notes: inout PlanNotes
    ) -> ParallelChoice {
        guard request != .standard else { return ParallelChoice(reason: "the default") }
        let encoder = video.encoder
        var work = Work(
            codec: encoder.codec, preset: encoder.preset, size: encoder.size,
            segments: segments(of: source, seconds: seconds), obstacle: obstacle(video, source, device))
        let able = device.able(encoder)
        work.gpus = device.matrix.isHardware ? able.hardware.map(\.matrix.device) : []
        work.software = able.first { !$0.matrix.isHardware }?.matrix.device
        let choice = choose(request, work, on: .here)
        notes.decide(
            "parallel", "\(counted(choice.lanes, "segment", "segments"))\(choice.details(able))", because: choice.reason
        )
        if case .count(let count, let more) = request, choice.lanes < count + more {
            notes.note(
                .parallelReduced,
                "\(counted(choice.lanes, "part", "parts")) of the video at one time instead of \(count + more): \(choice.reason)"
            )
        }
        return choice
    }

    /// With how many threads, or on which devices.
    private func details(_ candidates: [DeviceCandidate]) -> String {
        guard !devices.isEmpty else { return threads.map { " with \(counted($0, "thread", "threads")) each" } ?? "" }
        let parts = candidates.compactMap { candidate in
            let count = devices.count { $0 == candidate.matrix.device }
            return count > 0 ? "\(count) on \(candidate.matrix.deviceName)" : nil
        }
        return ": " + parts.joined(separator: ", ")
    }

    /// What looks beyond a segment.
    private static func obstacle(_ video: VideoEncoding, _ source: Source, _ device: DeviceChoice) -> Message? {
        if device.gpu != nil, !device.matrix.isHardware { return "a GPU does a part of software's work" }
        // Two of its encoders in one process crash.
        if video.encoder.codec == .av1 {
            return device.matrix.isHardware
                ? "software, which takes over from a GPU, encodes one AV1 video at a time"
                : "SVT-AV1 shares the cores out itself"
        }
        return obstacle(video, source)
    }

    /// Likewise, wherever the segments are encoded.
    static func obstacle(_ video: VideoEncoding, _ source: Source) -> Message? {
        guard case .quality(_, nil) = video.encoder.rateControl else {
            return "a bit rate is kept over the whole video"
        }
        if video.filter.frameRate != nil { return "the frame rate is converted" }
        if video.filter.isDeinterlacing(source.sample.shape) { return "frames are deinterlaced" }
        if video.filter.custom != nil { return "filters may look at all frames" }
        if video.filter.denoising != nil { return "denoising looks at the frames before" }
        return source.countsFrames ? "the source has no times" : nil
    }

    /// How many segments there will be.
    private static func segments(of source: Source, seconds: Double?) -> Int? {
        let byLength = seconds.map { max(1, Int($0 / Double(ParallelRequest.segmentSeconds))) }
        let keyFrames = source.demuxer.indexedKeyFrames(of: source.video.index)
        // An index that is not read yet says nothing.
        guard let first = keyFrames.first, let last = keyFrames.last,
            seconds.map({ MediaTime(last - first, source.video.timeBase).seconds > $0 / 2 }) ?? false
        else { return byLength }
        let distance = MediaTime(seconds: Double(ParallelRequest.segmentSeconds)).rescaled(to: source.video.timeBase)
            .ticks
        var (count, start) = (1, first)
        for time in keyFrames where time - start >= distance { (count, start) = (count + 1, time) }
        return min(count, byLength ?? count)
    }
}

extension DeviceChoice {
    /// Those that encode it, the chosen one first.
    fileprivate func able(_ encoder: EncoderConfiguration) -> [DeviceCandidate] {
        all.filter {
            let row = $0.matrix.encoder(encoder.codec, encoder.profile)
            return row?.holds(encoder.size) ?? false && row?.input(like: encoder.pixelFormat) != nil
        }
    }
}

extension VideoEncoding {
    mutating func apply(_ choice: ParallelChoice) {
        (parallelism, laneDevices, encoder.threads) = (choice.lanes, choice.devices, choice.threads)
        // All lanes have one decoding order, which is that of a GPU's encoder.
        if !laneDevices.isEmpty { keepReorderingOfHardware() }
    }

    mutating func keepReorderingOfHardware() {
        encoder.maxReorderDepth = encoder.reordersFrames ? encoder.hardware.bFrameDepth ?? 1 : 0
    }

    /// Segments that may be open for each lane: those that are done wait for the slowest one. Software is slower than a GPU
    /// by far.
    var openSegmentsPerLane: Int { Set(laneDevices).count > 1 ? 4 : 2 }
}
