import Testing

@testable import VTXJSON

@Suite("Values as JSON")
struct JSONCodingTests {
    private struct Sample: Codable, Hashable {
        var name = "a\n\"b\"ä"
        var count = -3
        var big = UInt64.max
        var small: UInt8? = 255
        var ratio = 0.1
        var single: Float = 0.5
        var limits = [Double.infinity, -Double.infinity, 2]
        var missing: String?
        var nested: [String: [Choice]] = ["x": [.plain, .named(width: 2, [true, nil])], "y": []]
        var numbers = [1: "one"]
        var json: JSONValue = ["k": [1, .null, "s"]]
        var empty = Empty()
    }

    private enum Choice: Codable, Hashable {
        case plain
        case named(width: Int, [Bool?])
    }

    private struct Empty: Codable, Hashable {}

    @Test("are equal after a round trip, also through text")
    func roundTrip() throws {
        let json = try JSONValue(encoding: Sample())
        #expect(try json.decoded() == Sample())
        #expect(try JSONValue(parsing: json.text) == json)
        #expect(json["limits"]?.array == ["inf", "-inf", 2])
        #expect(json["big"] == "18446744073709551615")
        #expect(json["missing"] == nil && json["empty"] == .object([:]))
    }

    @Test("that are not finite numbers are equal after a round trip")
    func notANumber() throws { #expect(try JSONValue(encoding: [Double.nan]).decoded([Double].self)[0].isNaN) }

    @Test(
        "are refused if the JSON has another form, with the path",
        arguments: [
            ("{}", "name"), (#"{"name":1}"#, "name"), (#"{"name":null}"#, "name"),
            (#"{"name":"a","counts":[1,300]}"#, "counts.1"), (#"{"name":"a","counts":[1,"2"]}"#, "counts.1"),
            (#"{"name":"a","counts":[1.5]}"#, "counts.0"), (#"{"name":"a","counts":{}}"#, "counts"), ("[]", ""),
        ])
    func refused(text: String, place: String) throws {
        struct Row: Decodable {
            var name: String
            var counts: [UInt8]
        }
        let json = try JSONValue(parsing: text)
        let error = #expect(throws: DecodingError.self) { try json.decoded(Row.self) }
        #expect(try #require(error).path == place)
    }
}

extension DecodingError {
    /// The path in the JSON; a missing name counts.
    fileprivate var path: String {
        switch self {
        case .keyNotFound(let key, let context): (context.codingPath + [key]).map(\.stringValue).joined(separator: ".")
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath.map(\.stringValue).joined(separator: ".")
        @unknown default: "?"
        }
    }
}
