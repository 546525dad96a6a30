import VTXJSON
package import VTXMedia

extension ValueType where Value == SizeRequest {
    package static var size: ValueType { size(isLimit: false) }
    package static var maxSize: ValueType { size(isLimit: true) }

    /// The bounds are x264's. Limits of other encoders are checked later.
    private static func size(isLimit: Bool) -> ValueType {
        let side = 2...16384
        let expected = "WIDTHxHEIGHT, each from 2 to 16384 or left out, such as 1280x720, 1280x or x720"
        return ValueType(
            "WxH", expects: expected,
            schema: ["type": "string", "pattern": "^([0-9]{1,5}[xX][0-9]{0,5}|[xX][0-9]{1,5})$"],
            read: { text in
                guard text.consists(of: "0123456789xX"), let size = SizeRequest(text, isLimit: isLimit) else {
                    return nil
                }
                return [size.width, size.height].compactMap(\.self).allSatisfy(side.contains) ? size : nil
            })
    }
}

extension ValueType where Value == CropRequest {
    package static var crop: ValueType {
        ValueType(
            "auto|WxH+X+Y", expects: "auto, or WIDTHxHEIGHT+X+Y such as 1920x800+0+140", completion: .words(["auto"]),
            schema: ["type": "string", "pattern": "^(auto|[0-9]{1,5}x[0-9]{1,5}[+][0-9]{1,5}[+][0-9]{1,5})$"],
            write: { request in
                switch request {
                case .auto: "auto"
                case .region(let region): "\(region)"
                }
            },
            read: { text in
                if text == "auto" { return .auto }
                guard text.consists(of: "0123456789x+"), let region = PixelRegion(text),
                    max(region.x, region.y, region.size.width, region.size.height) <= 16384
                else { return nil }
                return .region(region)
            })
    }
}

extension ValueType where Value == String {
    /// Users may define further presets.
    package static var preset: ValueType {
        let names = SettingsPreset.Name.allCases.map(\.rawValue)
        return ValueType(
            "PRESET", expects: "\(alternatives(names)), or a preset of your own", completion: .words(names),
            schema: ["type": "string", "minLength": 1], read: { $0.isEmpty ? nil : $0 })
    }

    package static var filters: ValueType {
        ValueType(
            "CHAIN", expects: "filters of libavfilter, such as hue=s=0,eq=contrast=1.1",
            schema: ["type": "string", "minLength": 1, "maxLength": 4096],
            read: { text in
                let isText = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
                return isText && (1...4096).contains(text.utf8.count) ? text : nil
            })
    }
}

extension ValueType where Value == [EncoderOption] {
    package static var encoderOptions: ValueType {
        ValueType(
            "LIST", expects: "the encoder's options with their values, such as aq-mode=3:psy-rd=1.5",
            schema: ["type": "string", "minLength": 3], write: \.text, read: { [EncoderOption](text: $0) })
    }
}

extension ValueType where Value == RotationRequest {
    package static var rotation: ValueType {
        let degrees = Value.allCases.map(\.rawValue)
        return ValueType(
            "DEGREES", expects: alternatives(degrees), completion: .words(degrees),
            schema: ["type": "integer", "enum": .array(degrees.compactMap { Int64($0).map { .integer($0) } })],
            write: \.rawValue, read: { Value(rawValue: $0) })
    }
}

extension ValueType where Value == Rational {
    package static var frameRate: ValueType<Rational> {
        ValueType(
            "RATE", expects: "frames per second up to 1000: 30, 29.97 or 30000/1001",
            schema: [
                "type": ["number", "string"], "exclusiveMinimum": 0, "maximum": 1000,
                "pattern": "^[0-9]+(\\.[0-9]+|/[0-9]+)?$",
            ],
            read: { text in
                guard text.consists(of: "0123456789./"), let rate = Rational(text), rate.value <= 1000 else {
                    return nil
                }
                return rate
            })
    }
}

extension ValueType where Value == KeyFrameInterval {
    /// Limits seconds to an hour: a longer interval is a mistake, as are huge frame counts.
    package static var keyFrameInterval: ValueType<KeyFrameInterval> {
        ValueType(
            "LENGTH", expects: "frames up to 100000, seconds up to 3600, or both: 120, 5s or 120,5s",
            schema: ["type": ["integer", "string"], "minimum": 1, "maximum": 100_000, "pattern": "^[0-9.,s]+$"],
            write: \.text,
            read: { text in
                guard text.consists(of: "0123456789.,s"), let interval = KeyFrameInterval(text),
                    interval.seconds ?? 0 <= 3600
                else { return nil }
                return interval
            })
    }
}

extension ValueType where Value == String {
    /// Accepts the profiles of all codecs, because the codec is decided later.
    package static var profile: ValueType {
        var names: [String] = []
        for profile in VideoProfile.allCases where !names.contains(profile.name) { names.append(profile.name) }
        return .word("NAME", of: names, or: ["h264-main", "hevc-main", "av1-main"])
    }
}

extension ValueType where Value == ParallelRequest {
    package static var parallelism: ValueType {
        let most = ParallelRequest.counts.upperBound
        return ValueType(
            "N", expects: "auto, a number from 1 to \(most), or two of them with a + between",
            completion: .words(["auto"]),
            schema: [
                "type": ["integer", "string"], "minimum": 1, "maximum": .integer(Int64(most)),
                "pattern": "^(auto|[0-9]+([+][0-9]+)?)$",
            ],
            write: \.text, read: { ParallelRequest($0) })
    }
}

extension ValueType where Value == SegmentsRequest {
    package static var segments: ValueType {
        let most = SegmentsRequest.counts.upperBound
        return ValueType(
            "N", expects: "auto or a number from 1 to \(most)", completion: .words(["auto"]),
            schema: [
                "type": ["integer", "string"], "minimum": 1, "maximum": .integer(Int64(most)),
                "pattern": "^(auto|[0-9]+)$",
            ],
            write: \.text, read: { SegmentsRequest($0) })
    }
}

extension SegmentsRequest {
    /// `auto`, `8`.
    fileprivate var text: String {
        switch self {
        case .auto: "auto"
        case .count(let number): "\(number)"
        }
    }

    fileprivate init?(_ text: String) {
        if text == "auto" {
            self = .auto
        } else {
            guard text.consists(of: "0123456789"), let number = Int(text), Self.counts.contains(number) else {
                return nil
            }
            self = .count(number)
        }
    }
}

extension ParallelRequest {
    fileprivate static let counts = 1...64

    /// `auto`, `4`, `2+1`.
    fileprivate var text: String {
        switch self {
        case .auto: "auto"
        case .count(let number, 0): "\(number)"
        case .count(let number, let software): "\(number)+\(software)"
        }
    }

    fileprivate init?(_ text: String) {
        if text == "auto" {
            self = .auto
            return
        }
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        let counts = parts.compactMap { Int($0) }.filter(Self.counts.contains)
        guard text.consists(of: "0123456789+"), (1...2).contains(parts.count), counts.count == parts.count else {
            return nil
        }
        self = .count(counts[0], software: counts.dropFirst().first ?? 0)
    }
}

extension ValueType where Value == LadderRequest {
    package static var ladder: ValueType {
        let (least, most) = (LadderRequest.heights.lowerBound, LadderRequest.heights.upperBound)
        return ValueType(
            "auto|LIST",
            expects:
                "auto, or up to \(LadderRequest.maxCount) times HEIGHT:BITS, with heights from \(least) to \(most), such as "
                + "1080:5M,720:3M",
            completion: .words(["auto"]),
            schema: ["type": "string", "pattern": "^(auto|[0-9]+:[0-9.]+[kKmMgG]?(,[0-9]+:[0-9.]+[kKmMgG]?)*)$"],
            write: \.text, read: { LadderRequest($0) })
    }
}

extension ValueType where Value == DeviceSelector {
    package static var device: ValueType<DeviceSelector> {
        ValueType(
            "DEVICE", expects: DeviceSelector.forms, completion: .files,
            read: { DeviceSelector($0) })
    }
}

extension ValueType where Value == Container {
    /// The containers that vtx can write, by name.
    static var container: ValueType { container(of: Container.allCases) }

    package static func container(of allowed: [Container]) -> ValueType {
        let words = allowed.map(\.name)
        return ValueType(
            "FORMAT", expects: alternatives(words), completion: .words(words),
            schema: ["enum": .array(words.map { .string($0) })], write: \.name,
            read: { word in allowed.first { $0.name == word } })
    }
}
