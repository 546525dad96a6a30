import VTXJSON
package import VTXMedia

/// All options of a transcode: name, type, bounds, default, help, and the property of a request. Flags, help,
/// completions, the manual, JSON and its schema are generated from it.
package enum OptionCatalogue {
    /// In the order in which help shows them. Options on which the value of another one depends come first.
    package static let options = coding + picture + hardware + audio + streams + time + output

    package static func option(_ name: OptionName) -> RequestOption? { options.first { $0.name == name } }

    /// Pairs of mutually exclusive options.
    package static let exclusive: [[OptionName]] =
        [
            [.quality, .bitrate], [.target, .quality], [.target, .bitrate],
            [.targetSize, .quality], [.targetSize, .bitrate], [.targetSize, .target], [.targetSize, .replace],
            [.twoPass, .targetSize], [.twoPass, .quality], [.twoPass, .target], [.twoPass, .replace],
            [.size, .maxSize], [.profile, .bitDepth], [.maxSizeRatio, .start],
            [.maxSizeRatio, .duration],
            [.audioTrack, .audioStreams],
            [.replace, .overwrite], [.replace, .format], [.replace, .start], [.replace, .duration],
            [.replace, .filter],
        ]
    /// The first option requires the second.
    package static let requirements: [(option: OptionName, needs: OptionName)] = [
        (.scaling, .size), (.twoPass, .bitrate),
    ]

    /// Options about GPUs, which encode in one pass.
    static let aboutGPUs: [OptionName] = [.lowPower, .asyncDepth, .bDepth, .failOnFallback]

    /// Options about filtering, encoding and checking frames. The choice of devices is always allowed and not included.
    static let aboutPictures =
        (coding + picture).map(\.name) + [.lowPower, .asyncDepth, .bDepth, .replace, .verify]

    /// Options about audio streams that are kept.
    static let aboutAudio: [OptionName] = [
        .audioBitrate, .audioChannels, .loudness, .audioTrack, .audioStreams, .addAudio,
    ]

    /// Options that a ladder sets for each rendition, and options for a single file.
    static let notForLadders: [OptionName] = [
        .quality, .target, .targetSize, .bitrate, .twoPass, .maxBitrate, .size, .scaling, .copyVideo,
        .replace, .parallel, .segments, .fragmented, .format, .maxSizeRatio, .timestamps, .audioTrack,
    ]

    /// The heading of a group of options.
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

/// An option of a transcode.
package struct RequestOption: Sendable {
    package let name: OptionName
    package let group: OptionCatalogue.Group
    package let value: ValueDescription
    /// One or more sentences.
    package let help: Message
    /// The default, if it is a value worth showing.
    package let defaultText: String?
    /// Sets the property of a request. Returns false if the text is not a valid value.
    let set: @Sendable (String, inout TranscodeRequest) -> Bool
    /// Returns the value in a request; nil for the default.
    package let text: @Sendable (TranscodeRequest) -> String?

    package typealias Path<Value> = WritableKeyPath<TranscodeRequest, Value> & Sendable

    /// Whether it is a switch, without a value on the command line.
    package var isSwitch: Bool { value.schema["type"] == "boolean" }

    /// Sets the property of a request. Returns false, without changing the request, if the text is not a valid value.
    package func takes(_ text: String, into request: inout TranscodeRequest) -> Bool { set(text, &request) }

    /// Sets the property of a request.
    func apply(_ text: String, to request: inout TranscodeRequest) throws(TranscodeError) {
        guard set(text, &request) else { throw badValue(text) }
    }

    private func badValue(_ text: String) -> TranscodeError {
        var nearest: String?
        if case .words(let words) = value.completion { nearest = Suggestion.nearest(to: text, in: words) }
        return TranscodeError(
            .badValue, "\(option: name): '\(text)' is not allowed; expected \(value.expected)",
            hint: nearest.map { "did you mean '\($0)'?" })
    }

    /// Converts a JSON value to text.
    func text(_ json: JSONValue) throws(TranscodeError) -> String {
        var request = TranscodeRequest(input: "")
        guard let text = value.text(json), set(text, &request) else { throw badValue(json.string ?? json.text) }
        return text
    }
}

extension RequestOption {
    /// Creates an option that always has a value.
    static func value<Value: Equatable & Sendable>(
        _ name: OptionName, in group: OptionCatalogue.Group, _ type: ValueType<Value>, into path: any Path<Value>,
        _ help: Message
    ) -> RequestOption {
        let standard = TranscodeRequest(input: "")[keyPath: path]
        return RequestOption(
            name: name, group: group, value: type.description, help: help, defaultText: type.write(standard),
            set: { text, request in
                guard let value = type.read(text) else { return false }
                request[keyPath: path] = value
                return true
            },
            text: { request in
                let value = request[keyPath: path]
                return value == standard ? nil : type.write(value)
            })
    }

    /// Creates an option that is nil by default.
    static func optional<Value: Sendable>(
        _ name: OptionName, in group: OptionCatalogue.Group, _ type: ValueType<Value>, into path: any Path<Value?>,
        _ help: Message
    ) -> RequestOption {
        RequestOption(
            name: name, group: group, value: type.description, help: help, defaultText: nil,
            set: { text, request in
                guard let value = type.read(text) else { return false }
                request[keyPath: path] = value
                return true
            },
            text: { $0[keyPath: path].map(type.write) })
    }

    /// Creates an option that may be given several times, each adding a value. In text, values are separated by
    /// newlines.
    static func list<Value: Sendable>(
        _ name: OptionName, in group: OptionCatalogue.Group, _ type: ValueType<Value>, into path: any Path<[Value]>,
        _ help: Message
    ) -> RequestOption {
        RequestOption(
            name: name, group: group, value: type.description, help: help, defaultText: nil,
            set: { text, request in
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

    /// Creates a switch.
    static func flag(
        _ name: OptionName, in group: OptionCatalogue.Group, into path: any Path<Bool>, _ help: Message
    ) -> RequestOption { value(name, in: group, .truth, into: path, help) }
}
