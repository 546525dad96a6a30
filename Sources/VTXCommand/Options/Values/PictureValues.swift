import VTXMedia

extension ValueType where Value == PixelSize {
    /// The bounds are H.264's and HEVC's own, with room below for what only some encoders refuse.
    static var pixelSize: ValueType {
        let side = 16...16384
        return ValueType("WxH", expects: "WIDTHxHEIGHT, each from 16 to 16384, such as 1280x720") { text in
            guard text.consists(of: "0123456789xX"), let size = PixelSize(text) else { return nil }
            return side.contains(size.width) && side.contains(size.height) ? size : nil
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
