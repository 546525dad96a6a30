// Values whose JSON form is one text or number: `30000/1001`, `1920x1080`, `pci:0000:03:00.0`.

extension Decoder {
    /// Decodes a plain value and converts it.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if `make` returns nil.
    package func value<Plain: Decodable, Value>(
        of _: Plain.Type = Plain.self, _ make: (Plain) -> Value?
    ) throws -> Value {
        let plain = try singleValueContainer().decode(Plain.self)
        if let value = make(plain) { return value }
        throw DecodingError.dataCorrupted(
            .init(codingPath: codingPath, debugDescription: "'\(plain)' is not a valid \(Value.self)"))
    }
}

extension Rational: Codable {
    /// Decodes `30000/1001`. Unlike a rate entered by a user, it may be 0 or negative.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value { (text: String) in
            let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
            guard (1...2).contains(parts.count), let numerator = parts[0],
                let denominator = parts.count == 2 ? parts[1] : 1
            else { return nil }
            return Rational(numerator, denominator)
        }
    }

    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

extension PixelSize: Codable {
    /// Decodes `1920x1080`; a side may be 0.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value { (text: String) in
            let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
            guard sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
            return PixelSize(width, height)
        }
    }

    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

extension Quality: Codable {
    public init(from decoder: any Decoder) throws { self = try decoder.value(of: Double.self) { Quality($0) } }
    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension KeyFrameInterval: Codable {
    /// Decodes `120`, `5s` or `120,5s`; empty if neither is set.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value { (text: String) in text.isEmpty ? KeyFrameInterval() : KeyFrameInterval(text) }
    }

    public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

extension DisplayMatrix: Codable {
    /// Decodes the nine elements.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value(of: [Int32].self) { $0.count == 9 ? DisplayMatrix($0) : nil }
    }

    public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension DeviceSelector: Codable {
    package init(from decoder: any Decoder) throws { self = try decoder.value { DeviceSelector($0) } }
    package func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

extension DeviceID: Codable {
    package init(from decoder: any Decoder) throws { self = try decoder.value { DeviceID($0) } }
    package func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
}

extension EncodingMode: Codable {
    package init(from decoder: any Decoder) throws { self = try decoder.value { EncodingMode($0) } }
    package func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}
