import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// Where one stream's packets go, and what has been seen of them. Each packet asks, so nothing is here but what it asks
/// for; the stream's plan holds far more.
struct StreamRoute {
    enum Destination {
        case encode
        case copy(output: Int)
        case convert(BoundedQueue<Packet>)
        case discard
    }

    let kind: StreamKind
    let isCoverArt: Bool
    let destination: Destination
    /// Ticks that are taken off every time.
    let offset: Int64
    /// Whether a leap ahead is a gap or damage; nil where there are no times.
    var doubt: LeapDoubt<Packet>?
    /// Where the last packet ended: the time of one whose own is damaged.
    var expected: Int64?
    /// A time of it was damaged. Demuxers work out decoding times from the times around, so those are not to be trusted
    /// any more.
    var hasStrayed = false
    /// Seconds at which the last packet that was copied begins.
    var lastTime: Double?
    /// Packets that begin behind the end that was asked for.
    var countBehindEnd = 0
    /// It has passed that end.
    var hasEnded = false

    init(_ plan: StreamPlan, in stage: DemuxStage) {
        kind = plan.source.kind
        isCoverArt = plan.source.isCoverArt
        offset = stage.plan.clock.offset.rescaled(to: plan.source.timeBase).ticks
        destination =
            switch plan.action {
            case .encodeVideo: .encode
            case .copy where stage.isAttached(plan): .discard
            case .copy: plan.outputIndex.map { .copy(output: $0) } ?? .discard
            case .convertAudio, .convertSubtitle: stage.converters[plan.source.index].map { .convert($0) } ?? .discard
            case .drop: .discard
            }
        if isContinuous && !stage.source.demuxer.hasNoTimestamps { doubt = Self.doubt(plan.source) }
    }

    /// Pictures that may come behind one that is shown after them. No specification says how many; encoders make no
    /// more in a row than this (C: `X264_BFRAME_MAX`, `X265_BFRAME_MAX`).
    static let reorderedPictures = 16
    /// Sound is not reordered; but a single packet that is damaged backwards shall not condemn the one in front of it.
    private static let reorderedSound = 1
    /// Packets that prove a gap, a second of them at least: one damaged time of a transport stream moves all the sound
    /// that shares it. More would find longer runs of damage, and keep more waiting at each gap.
    private static let proof = 17

    private static func doubt(_ source: StreamInfo) -> LeapDoubt<Packet> {
        LeapDoubt(
            threshold: MediaTime(seconds: undoubted(source)).rescaled(to: source.timeBase).ticks,
            reordered: source.kind == .video ? reorderedPictures : reorderedSound, proof: proof)
    }

    /// Seconds by which times may leap ahead. As many pictures as it takes to tell have to fit in; and below a second
    /// nobody is helped.
    private static func undoubted(_ source: StreamInfo) -> Double {
        guard source.kind == .video, source.averageFrameRate.isPositive else { return 1 }
        return min(max(1, 1.25 * Double(reorderedPictures) / source.averageFrameRate.value), DecodeStage.longestLeap)
    }

    var isEncoded: Bool { if case .encode = destination { true } else { false } }

    /// Sound and pictures reach every end; subtitles may not.
    var isContinuous: Bool { !isCoverArt && (kind == .video || kind == .audio) }
}
