import VTXMedia

extension AudioTrack {
    /// nil for invalid text.
    package init?(text: String) {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)[...]
        guard let source = StreamFilter(parts.removeFirst()), source != .none,
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        self.init(source)
        for part in parts { guard read(part) else { return nil } }
        // Only subtitles can be forced; a copy keeps the source's rate, channels and loudness.
        guard !marks.isForced, coding != .copy || (bitrate, channels?.count, loudness) == (nil, nil, nil) else {
            return nil
        }
    }

    private mutating func read(_ part: String) -> Bool {
        let isOfCoding = ["bitrate=", "channels=", "loudness="].contains(where: part.hasPrefix)
        return readCoding(part) || !isOfCoding && marks.read(part)
    }

    private mutating func readCoding(_ part: String) -> Bool {
        if part == "copy" || AudioCodec(rawValue: part) != nil {
            coding = AudioCodec(rawValue: part).map(AudioChoice.encode) ?? .copy
            return true
        }
        return read(part, "bitrate=", into: \.bitrate, ValueType.audioBitrate.read)
            || read(part, "channels=", into: \.channels) { ChannelLimit(rawValue: $0) }
            || read(part, "loudness=", into: \.loudness, ValueType.loudness.read)
    }

    private mutating func read<Value>(
        _ part: String, _ key: String, into path: WritableKeyPath<Self, Value?>, _ value: (String) -> Value?
    ) -> Bool {
        guard part.hasPrefix(key), let value = value(String(part.dropFirst(key.count))) else { return false }
        self[keyPath: path] = value
        return true
    }
}

extension AudioTrack: CustomStringConvertible {
    /// The text for `init(text:)`.
    package var description: String {
        let coding: String? =
            switch coding {
            case .copy: "copy"
            case .encode(let codec): codec.rawValue
            case .none?, nil: nil
            }
        let properties = [
            coding, bitrate.map { "bitrate=\($0)" }, channels.map { "channels=\($0.rawValue)" },
            loudness.map { "loudness=\($0)" },
        ]
        return ([source.text] + properties.compactMap(\.self) + marks.parts).joined(separator: ":")
    }
}
