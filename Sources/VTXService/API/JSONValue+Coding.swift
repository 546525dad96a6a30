import FoundationEssentials
package import VTXJSON
package import VTXJobs

extension JSONValue {
    /// A value in its JSON form.
    package init(encoding value: some Encodable) throws(StoreError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        guard let data = try? encoder.encode(value), let parsed = try? JSONValue(parsing: Array(data)) else {
            throw StoreError(.failed, "\(type(of: value)) cannot be written as JSON")
        }
        self = parsed
    }

    /// The value that this is the JSON form of.
    package func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}

extension JSONValue {
    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    static func time(_ time: Timestamp?) -> JSONValue { time.map { .string($0.description) } ?? .null }

    /// An object without the members that are null.
    static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(Dictionary(members.filter { $0.value != .null }.map { ($0.key, $0.value) }) { _, last in last })
    }
}
