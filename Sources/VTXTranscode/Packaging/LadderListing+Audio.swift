extension LadderListing {
    /// Audio renditions of which a player plays one. Groups differ in codec and channels; each has the same names, for
    /// which players choose the same content in another group (RFC 8216, 4.3.4.1.1).
    struct AudioGroup: Sendable, Hashable {
        var id: String
        var renditions: [Audio]

        /// RFC 6381.
        var codecs: [String] { Set(renditions.map(\.codec)).sorted() }
    }

    /// The groups: the first is for every player; each other one has surround of one codec where there is any.
    var audioGroups: [AudioGroup] {
        let first = audio.filter { !hasStereo($0) }
        guard !first.isEmpty else { return [] }
        let surround = audio.filter(hasStereo)
        var codecs: [String] = []
        for codec in surround.map(\.codec) where !codecs.contains(codec) { codecs.append(codec) }
        let others = codecs.enumerated().map { number, codec in
            AudioGroup(
                id: number == 0 ? "surround" : "surround-\(number + 1)",
                renditions: first.map { member in
                    surround.first { $0.codec == codec && $0.label == member.label } ?? member
                })
        }
        return [AudioGroup(id: "audio", renditions: first)] + others
    }

    /// Whether it is surround of which there is a stereo version.
    private func hasStereo(_ rendition: Audio) -> Bool {
        rendition.isSurround && audio.contains { !$0.isSurround && $0.label == rendition.label }
    }

    /// Gives each audio rendition a unique label, which surround shares with stereo of the same stream, and chooses the
    /// one that plays by default.
    mutating func labelAudio() {
        let stereo = stereoVersions
        var labels: [Label] = []
        let first = audio.indices.filter { stereo[$0] == nil }
        let defaultIndex = first.first { audio[$0].label.isDefault } ?? first.first
        for index in first {
            audio[index].label.makeUnique("Audio \(labels.count + 1)", after: labels)
            audio[index].label.isDefault = index == defaultIndex
            labels.append(audio[index].label)
        }
        for (index, version) in stereo { audio[index].label = audio[version].label }
    }

    /// Returns the index of the stereo version for that of each surround rendition that has one.
    private var stereoVersions: [Int: Int] {
        var versions: [Int: Int] = [:]
        for index in audio.indices where audio[index].isSurround {
            versions[index] = audio.indices.first { !audio[$0].isSurround && audio[$0].source == audio[index].source }
        }
        return versions
    }
}

extension LadderListing.Label {
    /// Completes the title.
    ///
    /// - Parameters:
    ///   - number: The title if there is none.
    ///   - others: The labels of the same kind, whose titles are taken.
    mutating func makeUnique(_ number: String, after others: [LadderListing.Label]) {
        if title.isEmpty { title = number }
        if others.contains(where: { $0.title == title }) { title += " (\(number))" }
    }
}
