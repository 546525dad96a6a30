/// A live media playlist with what a server adds to it: requests may wait for its next version
/// (`CAN-BLOCK-RELOAD`, RFC 8216bis, 6.2.5.2) and for its next part (`EXT-X-PRELOAD-HINT`, 6.2.6). Pure.
package struct ServedPlaylist: Sendable, Hashable {
    /// What a player waits for (`_HLS_msn`, `_HLS_part`).
    package struct Position: Sendable, Hashable {
        /// The media sequence number of a segment.
        package var segment: Int
        /// The index of one of its parts; nil for the whole segment.
        package var part: Int?

        package init(segment: Int, part: Int? = nil) { (self.segment, self.part) = (segment, part) }
    }

    /// When the playlist contains a position.
    package enum Availability: Sendable, Hashable {
        case now
        case later
        /// So far ahead that no player should ask for it yet.
        case tooFar
    }

    /// The playlist to send. One that has ended is sent as it is.
    package let text: String
    package var hasEnded: Bool { lines.hasEnded }
    /// Seconds.
    package var targetDuration: Int { lines.targetDuration ?? 1 }
    /// The name of the next part's file, which does not exist yet; nil if it is unknown.
    package let hint: String?
    private let lines: MediaPlaylistLines

    /// - Parameter name: The name of the playlist's file.
    /// - Returns: nil for a multivariant playlist and for text that is no playlist.
    package init?(_ text: String, name: String) {
        let lines = MediaPlaylistLines(text)
        guard lines.targetDuration != nil else { return nil }
        self.lines = lines
        let hint = lines.nextPart(SegmentNames(playlist: name))
        self.hint = hint
        self.text = lines.hasEnded ? text : Self.blocking(text, lines) + (hint.map(Self.hintLine) ?? "")
    }

    package func availability(of position: Position) -> Availability {
        let wanted = lines.resolved(position)
        let isWritten = wanted.segment == lines.last + 1
        if hasEnded || wanted.segment <= lines.last { return .now }
        if isWritten, let part = wanted.part, part < lines.parts.count { return .now }
        if isWritten, let part = wanted.part, part - lines.parts.count >= lines.advancePartLimit { return .tooFar }
        return wanted.segment > lines.last + 2 ? .tooFar : .later
    }

    private static func hintLine(_ name: String) -> String {
        HLSText.tag("EXT-X-PRELOAD-HINT", [("TYPE", "PART"), ("URI", HLSText.quoted(HLSText.uri(name)))])
    }

    /// Announces that requests may block, in the playlist's own `EXT-X-SERVER-CONTROL` tag if it has one.
    private static func blocking(_ text: String, _ lines: MediaPlaylistLines) -> String {
        let (control, attribute) = ("#EXT-X-SERVER-CONTROL:", "CAN-BLOCK-RELOAD")
        guard !lines.blocksReload else { return endingInLineBreak(text) }
        let place = lines.hasServerControl ? control : "#EXT-X-TARGETDURATION:"
        let changed = HLSText.lines(of: text).map { line in
            guard line.hasPrefix(place) else { return "\(line)\n" }
            guard lines.hasServerControl else { return "\(line)\n\(control)\(attribute)=YES\n" }
            return "\(control)\(attribute)=YES,\(line.dropFirst(control.count))\n"
        }
        return changed.joined()
    }

    private static func endingInLineBreak(_ text: String) -> String {
        text.last?.isNewline == true ? text : text + "\n"
    }
}

/// The lines of a media playlist that say how far it goes.
private struct MediaPlaylistLines: Sendable, Hashable {
    var targetDuration: Int?
    private var partTarget: Double?
    private var sequence = 0
    private var segmentCount = 0
    /// The URIs of the parts of the segment that is not complete yet.
    private(set) var parts: [String] = []
    /// The URIs of the parts of the last complete segment.
    private var formerParts: [String] = []
    private(set) var hasEnded = false
    private(set) var hasServerControl = false
    private(set) var blocksReload = false
    private var hasHint = false

    init(_ text: String) {
        let lines = HLSText.lines(of: text)
        guard lines.first == "#EXTM3U" else { return }
        lines.dropFirst().forEach { read($0) }
    }

    private mutating func read(_ line: Substring) {
        guard line.hasPrefix("#") else { return endSegment() }
        let colon = line.firstIndex(of: ":") ?? line.endIndex
        let value = line[colon...].dropFirst()
        switch line[..<colon] {
        case "#EXT-X-TARGETDURATION": targetDuration = Int(value).map { min(max(1, $0), 3600) }
        case "#EXT-X-MEDIA-SEQUENCE": sequence = Int(value).map { min(max(0, $0), 1 << 53) } ?? 0
        case "#EXT-X-PART-INF": partTarget = HLSText.attribute("PART-TARGET", in: value).flatMap { Double($0) }
        case "#EXT-X-PART": parts.append(String(HLSText.attribute("URI", in: value) ?? ""))
        case "#EXT-X-SERVER-CONTROL":
            hasServerControl = true
            blocksReload = HLSText.attribute("CAN-BLOCK-RELOAD", in: value) == "YES"
        case "#EXT-X-PRELOAD-HINT": hasHint = true
        case "#EXT-X-ENDLIST": hasEnded = true
        default: break
        }
    }

    private mutating func endSegment() {
        segmentCount += 1
        (formerParts, parts) = (parts, [])
    }

    /// The number of the last complete segment.
    var last: Int { sequence + segmentCount - 1 }

    /// How many parts a player may ask ahead: three seconds of them.
    var advancePartLimit: Int {
        guard let partTarget, partTarget < 1 else { return partTarget == nil ? .max : 3 }
        return Int((3 / max(partTarget, 0.01)).rounded(.up))
    }

    /// The part after the last one of a segment is the first one of the next segment.
    func resolved(_ position: ServedPlaylist.Position) -> ServedPlaylist.Position {
        guard let part = position.part, position.segment == last, !formerParts.isEmpty, part >= formerParts.count else {
            return position
        }
        return ServedPlaylist.Position(segment: last + 1, part: 0)
    }

    /// Returns the name of the part that follows, which is known if the names are those that vtx gives, because vtx
    /// lists a part only when it has a frame of the next one. Other programs may do otherwise.
    func nextPart(_ names: SegmentNames) -> String? {
        guard !hasEnded, !hasHint, partTarget != nil else { return nil }
        let (number, listed) = parts.isEmpty ? (last, formerParts) : (last + 1, parts)
        guard let uri = listed.last, uri == HLSText.uri(names.part(listed.count - 1, of: number)) else { return nil }
        return parts.isEmpty ? names.part(0, of: number + 1) : names.part(listed.count, of: number)
    }
}
