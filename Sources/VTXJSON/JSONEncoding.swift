extension JSONValue {
    /// Encodes a value as JSON.
    ///
    /// Infinities and NaN become strings (`inf`, `-inf`, `nan`), as do integers beyond `Int64`.
    ///
    /// - Parameter userInfo: For values whose JSON form depends on it.
    /// - Throws: what the value's `encode(to:)` throws.
    package init(encoding value: some Encodable, userInfo: [CodingUserInfoKey: Any] = [:]) throws {
        let slot = Slot()
        try value.encode(to: JSONEncoding(slot: slot, codingPath: [], userInfo: userInfo))
        self = slot.value
    }
}

extension JSONValue: Encodable {
    /// Only `JSONValue(encoding:)` can encode it; other encoders would need a type for each case.
    package func encode(to encoder: any Encoder) throws {
        guard let encoding = encoder as? JSONEncoding else {
            throw EncodingError.invalidValue(
                self, .init(codingPath: encoder.codingPath, debugDescription: "JSONValue is for VTXJSON's encoder"))
        }
        encoding.slot.scalar = self
    }
}

/// A value being encoded. A scalar takes precedence over elements, and elements over members.
private final class Slot {
    var scalar: JSONValue?
    var elements: [Slot]?
    var members: [String: Slot]?

    var value: JSONValue {
        if let scalar { return scalar }
        if let elements { return .array(elements.map(\.value)) }
        return .object((members ?? [:]).mapValues(\.value))
    }
}

private struct JSONEncoding: Encoder {
    let slot: Slot
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]

    func container<Key>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        if slot.members == nil { slot.members = [:] }
        return KeyedEncodingContainer(MemberWriter<Key>(encoding: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if slot.elements == nil { slot.elements = [] }
        return ElementWriter(encoding: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { ScalarWriter(encoding: self) }

    func member(_ key: any CodingKey) -> JSONEncoding {
        let member = Slot()
        slot.members?[key.stringValue] = member
        return JSONEncoding(slot: member, codingPath: codingPath + [key], userInfo: userInfo)
    }

    func nextElement() -> JSONEncoding {
        let element = Slot()
        let key = JSONKey(intValue: slot.elements?.count ?? 0)
        slot.elements?.append(element)
        return JSONEncoding(slot: element, codingPath: codingPath + [key], userInfo: userInfo)
    }
}

/// Each scalar encodes itself into a `ScalarWriter`, so one method suffices for all types.
private struct MemberWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoding: JSONEncoding
    var codingPath: [any CodingKey] { encoding.codingPath }

    func encodeNil(forKey key: Key) { encoding.member(key).slot.scalar = .null }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try value.encode(to: encoding.member(key))
    }

    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        encoding.member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoding.member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoding.member(JSONKey.super) }
    func superEncoder(forKey key: Key) -> any Encoder { encoding.member(key) }
}

private struct ElementWriter: UnkeyedEncodingContainer {
    let encoding: JSONEncoding
    var codingPath: [any CodingKey] { encoding.codingPath }
    var count: Int { encoding.slot.elements?.count ?? 0 }

    func encodeNil() { encoding.nextElement().slot.scalar = .null }

    func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: encoding.nextElement()) }

    func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoding.nextElement().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoding.nextElement().unkeyedContainer() }
    func superEncoder() -> any Encoder { encoding.nextElement() }
}

private struct ScalarWriter: SingleValueEncodingContainer {
    let encoding: JSONEncoding
    var codingPath: [any CodingKey] { encoding.codingPath }

    func encodeNil() { encoding.slot.scalar = .null }
    func encode(_ value: Bool) { encoding.slot.scalar = .bool(value) }
    func encode(_ value: String) { encoding.slot.scalar = .string(value) }
    func encode(_ value: Float) { encode(Double(value)) }

    func encode(_ value: Double) {
        guard value.isFinite else { return encode(value.isNaN ? "nan" : "\(value)") }
        // The same number is the same value, as for the parser.
        encoding.slot.scalar = Int64(exactly: value).map { .integer($0) } ?? .number(value)
    }

    func encode<Integer: FixedWidthInteger & Encodable>(_ value: Integer) {
        encoding.slot.scalar = Int64(exactly: value).map { .integer($0) } ?? .string(String(value))
    }

    func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: encoding) }
}

/// The key of an element, or of a superclass.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(intValue: Int) {
        self.intValue = intValue
        stringValue = "\(intValue)"
    }

    init(stringValue: String) {
        intValue = nil
        self.stringValue = stringValue
    }

    static var `super`: JSONKey { JSONKey(stringValue: "super") }
}
