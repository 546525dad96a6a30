import VTXFFmpeg
import VTXMedia
import VTXTask

/// Checks that streams requested by position or language exist. Otherwise the output would silently lack them.
struct SelectionCheck {
    private let kind: StreamKind
    private let streams: [InputStream]
    private let path: String

    static func check(_ request: TranscodeRequest, _ source: Source, _ notes: inout PlanNotes) throws(TranscodeError) {
        for kind in StreamKind.allCases {
            guard case .only(let keys) = request.filter(of: kind) else { continue }
            let streams = source.demuxer.streams.filter { $0.countedKind == kind }
            try SelectionCheck(kind: kind, streams: streams, path: source.path).check(keys, &notes)
        }
    }

    /// Checks a list. It may name more streams than exist, so that it fits many files, but at least one must exist.
    private func check(_ keys: [StreamKey], _ notes: inout PlanNotes) throws(TranscodeError) {
        let missing = keys.filter { !isThere($0) }
        guard !missing.isEmpty else { return }
        let message: Message =
            "no \(kind.rawValue) stream in \(StandardStream.input(path)) is \(words(missing)); it has \(streams.positions)"
        guard missing.count < keys.count else { throw TranscodeError(ErrorKind(selectionOf: kind), message) }
        notes.note(NoticeKind(selectionOf: kind), message)
    }

    private func isThere(_ key: StreamKey) -> Bool {
        streams.enumerated().contains { key.names(position: $0.offset, language: $0.element.language) }
    }

    private func words(_ keys: [StreamKey]) -> String { keys.map(\.description).joined(separator: " or ") }
}

extension [InputStream] {
    /// Their positions and languages: `0 (eng), 1`.
    var positions: String {
        let names = enumerated().map { position, stream in "\(position)" + (stream.language.map { " (\($0))" } ?? "") }
        return names.isEmpty ? "none" : names.joined(separator: ", ")
    }
}

extension TranscodeRequest {
    /// Returns the filter for streams of a kind.
    func filter(of kind: StreamKind) -> StreamFilter {
        switch kind {
        case .audio: audio == .none ? .none : audioTracks.isEmpty ? selection.audio : trackSources
        case .subtitle: selection.subtitles
        case .data: selection.data
        case .attachment: selection.attachments
        case .video: selection.otherVideo
        }
    }

    private var trackSources: StreamFilter {
        audioTracks.reduce(.only([])) { sum, track in
            guard case .only(let keys) = sum, case .only(let more) = track.source else { return .all }
            return .only(keys + more)
        }
    }
}
