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
    }

    /// Sound and pictures never pause for long, and reach every end; subtitles may not.
    var isSteady: Bool { !isCoverArt && (kind == .video || kind == .audio) }
}
