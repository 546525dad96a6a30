extension JSONValue {
    /// Decodes a value from its JSON form, see `init(encoding:userInfo:)`.
    ///
    /// - Throws: `DecodingError`.
    package func decoded<Value: Decodable>(_: Value.Type = Value.self) throws -> Value {
        try Value(from: JSONDecoding(value: self, codingPath: []))
    }
}

extension JSONValue: Decodable {
    package init(from decoder: any Decoder) throws {
        guard let decoding = decoder as? JSONDecoding else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "JSONValue is for VTXJSON's decoder"))
        }
        self = decoding.value
    }
}

private struct JSONDecoding: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = value.object else { throw mismatch([String: JSONValue].self, "an object") }
        return KeyedDecodingContainer(MemberReader<Key>(members: members, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.array else { throw mismatch([JSONValue].self, "an array") }
        return ElementReader(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { ScalarReader(decoding: self) }

    func mismatch(_ type: any Any.Type, _ words: String) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "expected \(words), found \(value.typeName)")
        return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

/// Each scalar decodes itself from a `ScalarReader`, so one method suffices for all types.
private struct MemberReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: JSONValue]
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    private func member(_ key: any CodingKey) throws -> JSONDecoding {
        guard let value = members[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "'\(key.stringValue)' is missing"))
        }
        return JSONDecoding(value: value, codingPath: codingPath + [key])
    }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).value == .null }

    func decode<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> Value { try Value(from: member(key)) }

    func nestedContainer<Nested>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try member(JSONKey.super) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

private struct ElementReader: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(elements: [JSONValue], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    private func next() throws -> JSONDecoding {
        let path = codingPath + [JSONKey(intValue: currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                JSONValue.self, .init(codingPath: path, debugDescription: "the array has \(elements.count) elements"))
        }
        return JSONDecoding(value: elements[currentIndex], codingPath: path)
    }

    private mutating func take<Result>(_ read: (JSONDecoding) throws -> Result) throws -> Result {
        let result = try read(next())
        currentIndex += 1
        return result
    }

    mutating func decodeNil() throws -> Bool {
        let isNull = try next().value == .null
        if isNull { currentIndex += 1 }
        return isNull
    }

    mutating func decode<Value: Decodable>(_: Value.Type) throws -> Value { try take(Value.init(from:)) }

    mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        try take { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try take { $0 } }
}

private struct ScalarReader: SingleValueDecodingContainer {
    let decoding: JSONDecoding
    var codingPath: [any CodingKey] { decoding.codingPath }
    private var value: JSONValue { decoding.value }

    init(decoding: JSONDecoding) { self.decoding = decoding }

    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard let bool = value.bool else { throw decoding.mismatch(type, "a boolean") }
        return bool
    }

    func decode(_ type: String.Type) throws -> String {
        guard let string = value.string else { throw decoding.mismatch(type, "a string") }
        return string
    }

    func decode(_: Float.Type) throws -> Float { Float(try decode(Double.self)) }

    func decode(_ type: Double.Type) throws -> Double {
        if let number = value.number { return number }
        guard let word = value.string, ["inf", "-inf", "nan"].contains(word), let number = Double(word) else {
            throw decoding.mismatch(type, "a number")
        }
        return number
    }

    func decode<Integer: FixedWidthInteger & Decodable>(_ type: Integer.Type) throws -> Integer {
        if let integer = value.integer.flatMap({ Integer(exactly: $0) }) { return integer }
        guard let integer = value.string.flatMap({ Integer($0) }), Int64(exactly: integer) == nil else {
            throw decoding.mismatch(type, "an integer of \(Integer.bitWidth) bits")
        }
        return integer
    }

    func decode<Value: Decodable>(_: Value.Type) throws -> Value { try Value(from: decoding) }
}
