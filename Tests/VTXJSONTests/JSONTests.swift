import Testing

@testable import VTXJSON

@Suite("Untrusted JSON")
struct JSONTests {
    @Test(
        "is read, and written compactly with names in order",
        arguments: [
            (" { \"b\" : [ 1 , -2.5 , true , null ] , \"a\" : \"x\" } ", #"{"a":"x","b":[1,-2.5,true,null]}"#),
            (#""\u00e4\ud83d\ude00\n\/""#, "\"ä😀\\n/\""),
            ("1e3", "1000"), ("-0.0", "0"), ("9223372036854775807", "9223372036854775807"), ("{}", "{}"), ("[]", "[]"),
            (#""\u0000\u2028""#, #""\u0000\u2028""#),
        ])
    func roundTrip(text: String, written: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(value.text == written)
        #expect(try JSONValue(parsing: value.text) == value)
    }

    @Test(
        "is refused if invalid, with the position",
        arguments: [
            ("", "not a JSON value at byte 0"), ("{\"a\":1,}", "a member has no name at byte 7"),
            ("[1 2]", "']' is missing at byte 3"), ("{\"a\":1,\"a\":2}", "'a' is a duplicate name at byte 10"),
            ("01", "a number has a leading zero at byte 2"), ("1.", "a digit is missing at byte 2"),
            ("\"\\ud800x\"", "half of a surrogate pair at byte 7"), ("\"a", "a string is not terminated at byte 2"),
            ("nul", "not a JSON value at byte 0"), ("1 1", "text after the value at byte 2"),
            ("1e999", "the number 1e999 is out of range at byte 5"),
            ("\"\t\"", "a control character in a string at byte 2"),
        ])
    func refused(text: String, reason: String) {
        #expect { try JSONValue(parsing: text) } throws: { "\($0)" == reason }
    }

    @Test("is refused if it would overflow the stack, or is not UTF-8")
    func hostile() {
        #expect(throws: JSONError.self) { try JSONValue(parsing: String(repeating: "[", count: 100_000)) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0xff, 0x22]) }
    }
}
