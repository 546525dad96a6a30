import VTXMedia
import VTXTask

extension ValueType where Value == SizeRequest {
    static var size: ValueType { size(isLimit: false) }
    static var maxSize: ValueType { size(isLimit: true) }

    /// The bounds are x264's; what only some encoders refuse is found out later.
    private static func size(isLimit: Bool) -> ValueType {
        let side = 2...16384
        let expected = "WIDTHxHEIGHT, each from 2 to 16384 or left out, such as 1280x720, 1280x or x720"
        return ValueType("WxH", expects: expected) { text in
            guard text.consists(of: "0123456789xX"), let size = SizeRequest(text, isLimit: isLimit) else { return nil }
            return [size.width, size.height].compactMap(\.self).allSatisfy(side.contains) ? size : nil
        }
    }
}

extension ValueType where Value == Rational {
    static var frameRate: ValueType {
        ValueType("RATE", expects: "frames per second up to 1000: 30, 29.97 or 30000/1001") { text in
            guard text.consists(of: "0123456789./"), let rate = Rational(text), rate.value <= 1000 else {
                return nil
            }
            return rate
        }
    }
}

extension ValueType where Value == KeyFrameInterval {
    /// An hour bounds the seconds: a longer wait for a key frame is a slip, and huge numbers are no frame counts.
    static var keyFrameInterval: ValueType {
        let expected = "frames up to 100000, seconds up to 3600, or both: 120, 5s or 120,5s"
        return ValueType("LENGTH", expects: expected) { text in
            guard text.consists(of: "0123456789.,s"), let interval = KeyFrameInterval(text),
                interval.seconds ?? 0 <= 3600
            else { return nil }
            return interval
        }
    }
}

extension ValueType where Value == String {
    /// Which codec the profile belongs to is settled later, so this lists the names of both.
    static var profile: ValueType {
        var names: [String] = []
        for profile in VideoProfile.allCases where !names.contains(profile.name) {
            names.append(profile.name)
        }
        return .word("NAME", of: names)
    }
}

extension ValueType where Value == DeviceSelector {
    static var device: ValueType {
        ValueType("DEVICE", expects: DeviceSelector.forms, completion: .files, write: \.description) {
            DeviceSelector($0)
        }
    }
}
