import VTXFFmpeg
import VTXMedia

/// Where one stream's packets go, and what has been seen of them. Each packet asks, so nothing is here but what it asks
/// for; the stream's plan holds far more.
struct StreamRoute {
    enum Way {
        case encode
        case copy(output: Int)
        case convert(BoundedQueue<Packet>)
        case nowhere
    }

    let kind: StreamKind
    let isCoverArt: Bool
    let way: Way
    /// Ticks that are taken off every time.
    let offset: Int64
    /// Whether a leap ahead is a gap or damage; nil for streams that may pause for long.
    var doubt: LeapDoubt<Packet>?
    /// Where the last packet ended: the time of one whose own is damaged.
    var expected: Int64?
    /// A time of it was damaged. Demuxers work out decoding times from the times around, so those are not to be trusted
    /// any more.
    var hasStrayed = false
    /// Seconds at which the last packet that was copied begins.
    var lastTime: Double?
    /// It has passed the end that was asked for.
    var hasEnded = false

    init(_ plan: StreamPlan, in stage: DemuxStage) {
        kind = plan.source.kind
        isCoverArt = plan.source.isCoverArt
        offset = stage.plan.clock.offset.rescaled(to: plan.source.timeBase).ticks
        way =
            switch plan.action {
            case .encodeVideo: .encode
            case .copy where stage.isAttached(plan): .nowhere
            case .copy: plan.outputIndex.map { .copy(output: $0) } ?? .nowhere
            case .convertAudio, .convertSubtitle: stage.converters[plan.source.index].map { .convert($0) } ?? .nowhere
            case .drop: .nowhere
            }
        if isSteady && !stage.source.demuxer.hasNoTimestamps { doubt = Self.doubt(plan.source) }
    }

    /// Seconds by which a stream may leap ahead without being doubted.
    private static let undoubtedLeap = 1.0
    /// Pictures that may be shown before one that comes before them: as many as a decoder can hold back (H.264
    /// clause A.3.1, HEVC clause A.4.2).
    private static let reorderedPictures = 16
    /// Sound has none; but a single packet that is damaged backwards shall not condemn those in front of it.
    private static let reorderedSound = 1

    private static func doubt(_ source: InputStream) -> LeapDoubt<Packet> {
        LeapDoubt(
            threshold: MediaTime(seconds: undoubtedLeap).rescaled(to: source.timeBase).ticks,
            reordered: source.kind == .video ? reorderedPictures : reorderedSound)
    }

    /// Sound and pictures never pause for long, and reach every end; subtitles may not.
    var isSteady: Bool { !isCoverArt && (kind == .video || kind == .audio) }
}
