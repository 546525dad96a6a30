import VTXJSON
package import VTXMedia

/// Every option of a transcode: its name, type, bounds, default and help, and where it goes in a request. Flags, help,
/// completions, the manual, JSON and its schema are made of it.
package enum OptionCatalogue {
    /// In the order in which help shows them; what an option's value depends on comes before it.
    package static let options = coding + picture + hardware + audio + streams + time + output

    package static func option(_ name: OptionName) -> RequestOption? { options.first { $0.name == name } }

    /// Pairs of which one at most may be given.
    package static let exclusive: [[OptionName]] =
        [
            [.quality, .bitrate], [.target, .quality], [.target, .bitrate],
            [.targetSize, .quality], [.targetSize, .bitrate], [.targetSize, .target], [.targetSize, .replace],
            [.size, .maxSize], [.maxSizeRatio, .start],
            [.maxSizeRatio, .duration],
            [.audioTrack, .audioStreams],
            [.replace, .overwrite], [.replace, .format], [.replace, .start], [.replace, .duration],
            [.replace, .filter],
        ]
    /// The first makes sense only with the second.
    package static let requirements: [(option: OptionName, needs: OptionName)] = [(.scaling, .size)]

    /// What says something of how pictures are filtered, encoded and checked. Which device does that may be said always.
    static let aboutPictures =
        (coding + picture).map(\.name) + [.lowPower, .asyncDepth, .bDepth, .replace, .verify]

    /// What says something of audio that is to be there.
    static let aboutAudio: [OptionName] = [
        .audioBitrate, .audioChannels, .loudness, .audioTrack, .audioStreams, .addAudio,
    ]

    /// What a ladder says for each of its renditions, and what goes with one file alone.
    static let notForLadders: [OptionName] = [
        .quality, .target, .targetSize, .bitrate, .maxBitrate, .size, .maxSize, .scaling, .copyVideo, .replace,
        .parallel, .segments,
        .fragmented, .format, .maxSizeRatio, .timestamps, .audioTrack,
    ]

    /// The title under which an option stands.
    package enum Group: String, Sendable, Hashable, CaseIterable {
        case coding = "Codec and rate"
        case picture = "Picture"
        case hardware = "Hardware"
        case audio = "Audio"
        case streams = "Streams"
        case time = "Time"
        case output = "Output"
    }
}

/// One option of a transcode.
package struct RequestOption: Sendable {
    package let name: OptionName
    package let group: OptionCatalogue.Group
    package let value: ValueDescription
    /// A sentence or more.
    package let help: Message
    /// What counts where nothing is said, where that is a value and says something.
    package let defaultText: String?
    /// Puts a value into a request. False for text that is not a value.
    let read: @Sendable (String, inout TranscodeRequest) -> Bool
    /// What a request says; nil for what it leaves at the default.
    package let text: @Sendable (TranscodeRequest) -> String?

    package typealias Path<Value> = WritableKeyPath<TranscodeRequest, Value> & Sendable

    /// An option without a value on a command line.
    package var isSwitch: Bool { value.schema["type"] == "boolean" }

    /// Puts a value into a request. False, and nothing is changed, for text that is not a value.
    package func takes(_ text: String, into request: inout TranscodeRequest) -> Bool { read(text, &request) }

    /// Puts a value into a request.
    func apply(_ text: String, to request: inout TranscodeRequest) throws(TranscodeError) {
        guard read(text, &request) else { throw badValue(text) }
    }

    private func badValue(_ text: String) -> TranscodeError {
        var nearest: String?
        if case .words(let words) = value.completion { nearest = Suggestion.nearest(to: text, in: words) }
        return TranscodeError(
            .badValue, "\(option: name): '\(text)' is not allowed; expected \(value.expected)",
            hint: nearest.map { "did you mean '\($0)'?" })
    }

    /// A value in JSON as text.
    func text(_ json: JSONValue) throws(TranscodeError) -> String {
        var request = TranscodeRequest(input: "")
        guard let text = value.text(json), read(text, &request) else { throw badValue(json.string ?? json.text) }
        return text
    }
}

extension RequestOption {
    /// An option that always has a value.
    static func value<Value: Equatable & Sendable>(
        _ name: OptionName, in group: OptionCatalogue.Group, _ type: ValueType<Value>, into path: any Path<Value>,
        _ help: Message
    ) -> RequestOption {
        let standard = TranscodeRequest(input: "")[keyPath: path]
        return RequestOption(
            name: name, group: group, value: type.description, help: help, defaultText: type.write(standard),
            read: { text, request in
                guard let value = type.read(text) else { return false }
                request[keyPath: path] = value
                return true
            },
            text: { request in
                let value = request[keyPath: path]
                return value == standard ? nil : type.write(value)
            })
    }

    /// An option whose value is nil where nothing is said.
    static func optional<Value: Sendable>(
        _ name: OptionName, in group: OptionCatalogue.Group, _ type: ValueType<Value>, into path: any Path<Value?>,
        _ help: Message
    ) -> RequestOption {
        RequestOption(
            name: name, group: group, value: type.description, help: help, defaultText: nil,
            read: { text, request in
                guard let value = type.read(text) else { return false }
                request[keyPath: path] = value
                return true
            },
            text: { $0[keyPath: path].map(type.write) })
    }

    /// An option that may be given several times: each value is one more. In one text they are lines.
    static func list<Value: Sendable>(
        _ name: OptionName, in group: OptionCatalogue.Group, _ type: ValueType<Value>, into path: any Path<[Value]>,
        _ help: Message
    ) -> RequestOption {
        RequestOption(
            name: name, group: group, value: type.description, help: help, defaultText: nil,
            read: { text, request in
                let values = text.split(separator: "\n", omittingEmptySubsequences: false).map { type.read(String($0)) }
                guard !values.contains(where: { $0 == nil }) else { return false }
                request[keyPath: path] += values.compactMap(\.self)
                return true
            },
            text: { request in
                let values = request[keyPath: path]
                return values.isEmpty ? nil : values.map(type.write).joined(separator: "\n")
            })
    }

    /// A switch.
    static func flag(
        _ name: OptionName, in group: OptionCatalogue.Group, into path: any Path<Bool>, _ help: Message
    ) -> RequestOption { value(name, in: group, .truth, into: path, help) }
}
